# CPack runs this before it makes packages: of each static archive only the smallest member is left. In a build with debug information
# and a sanitizer an archive has half a million sections, which dpkg-deb compresses for a minute and lintian reads for several.
file(GLOB_RECURSE archives "${CPACK_TEMPORARY_DIRECTORY}/*.a")
foreach(archive IN LISTS archives)
  file(READ "${archive}" begin LIMIT 7)
  if(begin MATCHES "^!<arch>") # not a linker script
    execute_process(COMMAND bash -ec [[
      ar t "$0" >"$0.members"
      smallest=$(ar tv "$0" | sort -n -k 3,3 | awk 'NR == 1 {print $NF}')
      grep -vFx "$smallest" "$0.members" | xargs -r ar d "$0"
      rm "$0.members"]] "${archive}" COMMAND_ERROR_IS_FATAL ANY)
  endif()
endforeach()
