/* Every algorithm, one line each; algo/NAME.c exports algo_NAME. */
ALGO(sha256d)
ALGO(lyra2rev2)
