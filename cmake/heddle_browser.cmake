# What the test of the HTML report needs: Chromium, its driver, and a Python with selenium (Debian packages it for
# /usr/bin/python3, which need not be the first on PATH). Sets HEDDLE_BROWSER.
find_program(HEDDLE_CHROMIUM NAMES chromium chromium-browser google-chrome)
find_program(HEDDLE_CHROMEDRIVER chromedriver)
set(HEDDLE_BROWSER FALSE)
foreach(python /usr/bin/python3 python3)
  if(HEDDLE_CHROMIUM AND HEDDLE_CHROMEDRIVER AND NOT HEDDLE_BROWSER)
    execute_process(COMMAND ${python} -c "import selenium" RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
    if(failed EQUAL 0)
      set(HEDDLE_BROWSER TRUE)
      set(HEDDLE_SELENIUM_PYTHON ${python})
    endif()
  endif()
endforeach()
