# Pages as doxygen reads them: % before a word stays (it would take it away), and Python's names are not those of C++.
/^```/,/^```/b
/^    /b
s/%([A-Za-z])/%%\1/g
s/`halo\.([A-Z])/`%halo.\1/g
