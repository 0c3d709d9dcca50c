#include "shardproof/case/error.h"
int main() { return 5; }
