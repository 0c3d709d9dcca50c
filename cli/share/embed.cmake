# Writes OUTPUT: a .cpp that holds the text of every one of FILES (names below DIRECTORY, separated by
# commas), so that the program has them wherever it is installed.
cmake_minimum_required(VERSION 3.24)
set(text "#include \"share.h\"\n\n#include <array>\n\nnamespace shardproof::cli {\nnamespace {\n\n")
string(REPLACE "," ";" files "${FILES}")
list(LENGTH files count)
string(APPEND text "constexpr std::array<SharedFile, ${count}> kFiles{{\n")
foreach(file IN LISTS files)
  file(READ "${DIRECTORY}/${file}" content)
  string(APPEND text "    {\"${file}\", R\"~~~~(${content})~~~~\"},\n")
endforeach()
string(APPEND text "}};\n\n}  // namespace\n\nstd::span<const SharedFile> shared_files() { return kFiles; }\n\n}  // namespace shardproof::cli\n")
file(WRITE "${OUTPUT}" "${text}")
