# SPDX-License-Identifier: BSD-3-Clause
"""Words of ours that have given way to the field's: none of them may come back.

OLD_WORDS: (pattern, new word, folders that are looked at). CODE: only in C and C++, outside of
comments and literals, where the word is also plain English; TEXT: everywhere, in comments, messages
and documents as well.
"""

EVERYWHERE = ("",)
TEXT = (
    (r"\b\w*[Cc]rowd(?:ed|s)?(?:_\w+|[A-Z]\w*)?\b", "oversubscribed", EVERYWHERE),
    (r"\b\w+_elsewhere\b", "slow_path", EVERYWHERE),
    (r"\b(?:\w+_)?is_(?:near|far)\b|\b(?:near|far)_(?:pes?|nodes?|operations)\b"
     r"|\bk(?:Near|Far)[A-Z]\w*|\bbeta_far\b", "on_node, off_node", EVERYWHERE),
    (r"\bTeamLinks\b|\blinks\.hpp\b|`Links`|\blinked_pes\b", "Mailboxes", EVERYWHERE),
    (r"\b(?:heap|static|my|unknown)_rooms?\b|\bno_rooms\b|\brooms?_(?:of|offset|index)\b"
     r"|\bk(?:No)?Rooms?(?:[A-Z]\w*)?\b|\bSHMEM_INTERNAL_INLINE_ROOM\b|\bshmem_internal_room\b",
     "InlineLimit", EVERYWHERE),
    (r"\bleft_by\b|\bof_left\b|\bTeam::left\b", "published_by", EVERYWHERE),
    (r"\bis_left\b|\bleft_computes\b", "is_lower", EVERYWHERE),
    (r"\bcopied_in_all\b", "copied_total", EVERYWHERE),
    (r"\bJobShape\b|\bTeamShape\b", "JobLayout, TeamLayout", EVERYWHERE),
    (r"\b(?:Mapping|Window)Places?\b|\bkPlace[A-Z]\w*|\btake_place\b", "SlotOffset, TreePosition",
     EVERYWHERE),
    (r"\bkStaticDataNames\b|\benum class StaticData\b", "StaticDataMode", EVERYWHERE),
    (r"\b[Nn]ap(?:s|ped|ping)?\b|\b\w*Naps?(?:[A-Z]\w*)?\b(?<!\bNap)|\bnap_\w+", "timed sleep",
     EVERYWHERE),
    (r"\bcore\.rank\(|\bCore::rank\b", "core_index", EVERYWHERE),
    (r"\bkCardBytes\b|\bkFabricCardBytes\b|\bcard_of\b|\bpublish_card\b|\bcards_offset\b",
     "EndpointInfo", EVERYWHERE),
    (r"\bWishes\b|\bis_wished\b", "Hints, matches_hints", EVERYWHERE),
    (r"\bOfiChannel\b|\bChannelOptions\b|\bmake_channel\b|\bdefault_channel\b",
     "TransportContext", EVERYWHERE),
    # osh_info, osh_tune and the model speak of parameters; examples/ may sell things.
    (r"\b[Pp]rices\b", "machine parameters, costs", EVERYWHERE),
)
CODE = (
    (r"\bLinks\b|\bmail\b|\bRoom\b", "Mailboxes, slot, InlineLimit", EVERYWHERE),
    (r"\bPlaces?\b", "RemoteWord, GateSlot, TreePosition, HeapOffset", EVERYWHERE),
    (r"\bShape\b", "TeamLayout", ("collectives/", "src/messaging/", "tools/")),
    (r"\bChannel\b", "OutputSink", ("tools/", "tests/launch/")),
    (r"\bleft_\b", "remaining_", ("src/",)),
    (r"\brank\b", "core_index", ("collectives/",)),
    (r"\btemplate <typename\b", "template <class", EVERYWHERE),
)
