# SPDX-License-Identifier: BSD-3-Clause
"""The configuration of the tests' Slurms: no authentication, no cgroups, cores as resources."""
import os
import pwd

CONFIGURATION = """
ClusterName=c
SlurmctldHost={controller}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/none
CredType=cred/none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/builtin
ReturnToService=2
KillWait=2
SlurmdParameters=config_overrides
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
SlurmctldPidFile={folder}/ctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
"""
PARTITION = "PartitionName=p Nodes=ALL Default=YES MaxTime=INFINITE State=UP\n"


def write_configuration(folder, controller, *lines):
    """Writes slurm.conf and cgroup.conf. `controller`: NAME(ADDRESS); `lines`: the nodes, and what
    else this Slurm has."""
    text = CONFIGURATION.format(controller=controller, folder=folder,
                                user=pwd.getpwuid(os.geteuid()).pw_name)
    text += "\n".join(lines) + "\n" + PARTITION
    # slurmd loads a cgroup plugin in any case; this one does nothing here.
    for name, content in (("slurm.conf", text), ("cgroup.conf", "CgroupPlugin=cgroup/v1\n")):
        with open(os.path.join(folder, name), "w") as file:
            file.write(content)
