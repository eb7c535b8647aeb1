# heddle_embed(OUT NAMESPACE FILES...): a source file that holds each file as a string_view, page.css as page_css.
# Included by the build; run as a script (-P) it writes that file.
if(CMAKE_SCRIPT_MODE_FILE)
  set(text "#include <string_view>\n\nnamespace ${NAMESPACE} {\n")
  foreach(file IN LISTS FILES)
    get_filename_component(name ${file} NAME)
    string(REPLACE "." "_" name ${name})
    file(READ ${file} content)
    string(APPEND text "\nextern const std::string_view ${name};\n"
      "const std::string_view ${name} = R\"embedded(${content})embedded\";\n")
  endforeach()
  file(WRITE ${OUT} "${text}\n}\n")
  return()
endif()

set(HEDDLE_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_FILE})
function(heddle_embed out namespace)
  add_custom_command(OUTPUT ${out} VERBATIM DEPENDS ${ARGN} ${HEDDLE_EMBED_SCRIPT}
    COMMAND ${CMAKE_COMMAND} "-DOUT=${out}" "-DNAMESPACE=${namespace}" "-DFILES=${ARGN}" -P ${HEDDLE_EMBED_SCRIPT}
    COMMENT "Embedding files as constants")
endfunction()
