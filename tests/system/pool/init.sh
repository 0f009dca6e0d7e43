#!/bin/busybox sh
# SPDX-License-Identifier: BSD-3-Clause
#
# The first process of a virtual machine, whose kernel has been told host=N: vm0 or vm1. Commands
# come from the second serial line; a command of the other host comes from the network.
/bin/busybox --install -s /usr/bin
mount -t proc none /proc
mount -t sysfs none /sys
mount -t devtmpfs none /dev
mkdir -p /dev/shm
mount -t tmpfs none /dev/shm
while read -r module; do insmod "$module"; done </modules/order
read -r line </proc/cmdline
host=${line##*host=}
hostname "vm$host"
echo 'root:x:0:0::/root:/bin/sh' >/etc/passwd
printf '127.0.0.1 localhost\n10.99.1.1 vm0\n10.99.1.2 vm1\n' >/etc/hosts
ip link set lo up
ip addr add "10.99.1.$((host + 1))/24" dev eth0
ip link set eth0 up
export PATH=/usr/bin HOME=/root OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
    OMPI_MCA_plm_rsh_agent=/agent
# mpirun calls the agent in place of ssh: HOST WORD...
cat >/agent <<'END'
#!/bin/sh
host=$1
shift
echo "$*" | nc "$host" 22
END
cat >/server <<'END'
#!/bin/sh
read -r command
exec sh -c "$command" 2>&1
END
chmod +x /agent /server
nc -ll -p 22 -e /server &
# Opening the line for the first time drops what it has got.
exec 3<>/dev/ttyS1
stty raw -echo <&3
echo ready >&3
exec setsid sh /dev/ttyS1 </dev/null >&3 2>&1
