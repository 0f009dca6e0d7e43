# SPDX-License-Identifier: BSD-3-Clause
#
# The programs that run in the simulated world, one line each. Most are those of tests/behaviour.
set(behaviour ${PROJECT_SOURCE_DIR}/tests/behaviour)
set(layer ${behaviour}/runtime_layer)

# tessera_simulated(name sources... [LIBRARIES ...]): an OpenSHMEM program with the library in it.
# The library's constructors come first, as those of a shared library do.
add_custom_target(simulated_programs)
function(tessera_simulated name)
    cmake_parse_arguments(arg "" "" "LIBRARIES" ${ARGN})
    add_library(${name} MODULE ${TESSERA_OBJECTS} $<TARGET_OBJECTS:simulated_main>
                               ${arg_UNPARSED_ARGUMENTS})
    target_link_libraries(${name} PRIVATE ${arg_LIBRARIES} tessera_options GTest::gtest
                                          PkgConfig::HWLOC Threads::Threads ${CMAKE_DL_LIBS})
    target_include_directories(${name} PRIVATE
        ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src
        ${PROJECT_SOURCE_DIR}/tests ${behaviour})
    target_compile_options(${name} PRIVATE -fvisibility=default)
    target_link_options(${name} PRIVATE -Wl,-Bsymbolic)
    set_target_properties(${name} PROPERTIES PREFIX "sim_")
    add_dependencies(simulated_programs ${name})
endfunction()

# ---- The simulator's own ----
tessera_simulated(hello hello.cpp)
tessera_simulated(short_teams short_teams.cpp)
tessera_simulated(helped helped.cpp)
tessera_simulated(deadlock deadlock.cpp)
tessera_simulated(race race.cpp)

# ---- Random programs ----
file(GLOB random CONFIGURE_DEPENDS ${behaviour}/random/*.cpp)
tessera_simulated(random_test ${random})
tessera_simulated(random_collectives_test ${layer}/collectives/random_collectives_test.cpp)
tessera_simulated(random_teams_test ${layer}/teams/random_teams_test.cpp)
tessera_simulated(requests_random_test ${layer}/requests/requests_random_test.cpp)
tessera_simulated(epochs_random_test ${layer}/epochs/epochs_random_test.cpp)
tessera_simulated(locks_random_test ${layer}/locks/locks_random_test.cpp)
tessera_simulated(segments_random_test ${layer}/segments/segments_random_test.cpp)
tessera_simulated(batch_stress_test ${behaviour}/contexts/batch_stress_test.cpp)

# ---- Conformance: a chapter each ----
tessera_list_routines()
function(tessera_simulated_chapter name)
    set(parts ${behaviour}/conformance)
    tessera_simulated(conformance_${name} ${ARGN} ${parts}/conformance_main.cpp ${parts}/groups.cpp
                                          ${parts}/routines.cpp ${parts}/views.cpp)
    target_compile_definitions(conformance_${name} PRIVATE CONFORMANCE_CHAPTER="${name}")
    tessera_use_routines(conformance_${name})
endfunction()
tessera_simulated_chapter(rma ${behaviour}/rma/rma_conformance_test.cpp)
tessera_simulated_chapter(atomics ${behaviour}/atomics/atomics_conformance_test.cpp)
tessera_simulated_chapter(signals ${behaviour}/signals/signals_conformance_test.cpp)
tessera_simulated_chapter(waits ${behaviour}/sync/waits_conformance_test.cpp
                                ${behaviour}/sync/waits_array_conformance_test.cpp)
tessera_simulated_chapter(barriers ${behaviour}/collectives/barriers_conformance_test.cpp)
tessera_simulated_chapter(moves ${behaviour}/collectives/moves_conformance_test.cpp)
tessera_simulated_chapter(reductions ${behaviour}/collectives/reductions_conformance_test.cpp)
tessera_simulated_chapter(teams ${behaviour}/teams/teams_conformance_test.cpp)
tessera_simulated_chapter(contexts ${behaviour}/contexts/contexts_conformance_test.cpp)
tessera_simulated_chapter(memory ${behaviour}/memory/memory_conformance_test.cpp)

# ---- Routines ----
tessera_simulated(rma_test ${behaviour}/rma/rma_test.cpp)
tessera_simulated(atomics_test ${behaviour}/atomics/atomics_test.cpp)
tessera_simulated(ordering_test ${behaviour}/ordering/ordering_test.cpp)
tessera_simulated(signal_test ${behaviour}/signals/signal_test.cpp)
tessera_simulated(sync_test ${behaviour}/sync/sync_test.cpp)
tessera_simulated(locks_test ${behaviour}/locks/locks_test.cpp)
tessera_simulated(mutex_test ${layer}/locks/mutex_test.cpp)
tessera_simulated(rwlock_test ${layer}/locks/rwlock_test.cpp)
tessera_simulated(mutex_deaths_test ${layer}/locks/mutex_deaths_test.c)
tessera_simulated(epochs_test ${layer}/epochs/epochs_test.cpp)
tessera_simulated(strided_shapes_test ${layer}/strided/shapes_test.cpp)
tessera_simulated(windows_test ${layer}/epochs/windows_test.cpp)
tessera_simulated(requests_test ${layer}/requests/requests_test.cpp)
tessera_simulated(team_allocation_test ${layer}/teams/team_allocation_test.cpp)
tessera_simulated(any_members_test ${layer}/teams/any_members_test.cpp)
tessera_simulated(shmemx_segments_test ${layer}/segments/shmemx_segments_test.cpp)
tessera_simulated(accumulate_test ${layer}/requests/accumulate_test.cpp)
tessera_simulated(get_accumulate_test ${layer}/requests/get_accumulate_test.cpp)
tessera_simulated(fence_mix_test ${behaviour}/ordering/fence_mix_test.cpp)
tessera_simulated(mixed_atomics_test ${behaviour}/atomics/mixed_atomics_test.cpp)

# ---- Threads ----
tessera_simulated(rma_threads_test ${behaviour}/rma/rma_threads_test.cpp)
tessera_simulated(teams_threads_test ${behaviour}/teams/teams_threads_test.cpp)
tessera_simulated(waits_threads_test ${behaviour}/sync/waits_threads_test.cpp)
tessera_simulated(threads_test ${behaviour}/threads/threads_test.cpp)
tessera_simulated(mutex_threads_test ${layer}/locks/mutex_threads_test.cpp)

# ---- Collectives: the seed chooses the algorithms ----
tessera_simulated(barrier_test ${behaviour}/collectives/barrier_test.cpp)
tessera_simulated(moves_test ${behaviour}/collectives/moves_test.cpp)
tessera_simulated(reduce_test ${behaviour}/collectives/reduce_test.cpp)
tessera_simulated(scan_test ${behaviour}/collectives/scan_test.cpp)
tessera_simulated(collectives_test ${behaviour}/collectives/collectives_test.cpp)
tessera_simulated(runtime_collectives_test ${layer}/collectives/runtime_collectives_test.cpp)

# ---- DART ----
add_subdirectory(${PROJECT_SOURCE_DIR}/runtimes/dart dart EXCLUDE_FROM_ALL)
function(tessera_simulated_dart name)
    list(TRANSFORM ARGN PREPEND ${behaviour}/dart/)
    tessera_simulated(dart_${name} ${ARGN} $<TARGET_OBJECTS:tessera_dart_objects>)
    target_include_directories(dart_${name} PRIVATE ${PROJECT_SOURCE_DIR}/runtimes/dart/include
                                                    ${behaviour}/dart)
endfunction()
tessera_simulated_dart(onesided_test onesided.cpp unit_groups.cpp teams.cpp memory.cpp transfers.cpp
    types.cpp atomics.cpp completion.cpp notify.cpp several_threads.cpp windows.cpp)
tessera_simulated_dart(together_test together.cpp moves.cpp nonblocking.cpp reductions.cpp
    messages.cpp locks.cpp allocators.cpp places.cpp domains.cpp handles.cpp mistakes.cpp)

# ---- Coarrays ----
if(TESSERA_FORTRAN)
    add_subdirectory(${PROJECT_SOURCE_DIR}/runtimes/caf caf EXCLUDE_FROM_ALL)
    tessera_simulated(forming_teams forming_teams.cpp $<TARGET_OBJECTS:tessera_caf_core>)
    target_include_directories(forming_teams PRIVATE ${PROJECT_SOURCE_DIR}/runtimes/caf)
    set(checks ${behaviour}/coarrays/checks.f90)
    function(tessera_simulated_coarrays name)
        set(source ${behaviour}/coarrays/${name}.f90)
        set(folder ${CMAKE_CURRENT_BINARY_DIR}/caf_${name})
        file(MAKE_DIRECTORY ${folder})
        set(objects ${folder}/checks.o ${folder}/${name}.o)
        add_custom_command(OUTPUT ${objects} WORKING_DIRECTORY ${folder}
            COMMAND ${TESSERA_FORTRAN} -O1 -g1 -fPIC -fcoarray=lib -fsanitize=thread
                    --param=tsan-instrument-func-entry-exit=0 -c ${checks} ${source}
            DEPENDS ${checks} ${source} VERBATIM)
        set_source_files_properties(${objects} PROPERTIES EXTERNAL_OBJECT ON)
        tessera_simulated(caf_${name} $<TARGET_OBJECTS:tessera_caf_core>
            $<TARGET_OBJECTS:tessera_caf_common> $<TARGET_OBJECTS:tessera_caf_objects> ${objects}
            LIBRARIES gfortran)
    endfunction()
    tessera_simulated_coarrays(sync)
    tessera_simulated_coarrays(atomics)
    tessera_simulated_coarrays(locks)
    tessera_simulated_coarrays(events)
    tessera_simulated_coarrays(collectives)
    tessera_simulated_coarrays(teams)
    tessera_simulated_coarrays(control_random)
    tessera_simulated_coarrays(team_lifetimes)
    tessera_simulated_coarrays(ordering)
    tessera_simulated_coarrays(errmsg)
    tessera_simulated_coarrays(access_plain)
    tessera_simulated_coarrays(access_components)
    tessera_simulated_coarrays(access_pointers)
    tessera_simulated_coarrays(access_memory)
    tessera_simulated_coarrays(broadcast_components)
    tessera_simulated_coarrays(class_components)
    tessera_simulated_coarrays(gone_images)
    tessera_simulated_coarrays(killed_released)
    tessera_simulated_coarrays(killed_anytime)
endif()
