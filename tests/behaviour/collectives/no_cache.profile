# For tests: a machine whose caches hold next to nothing.
cache_bytes 4096
