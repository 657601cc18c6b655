/* How many descriptors the test has open: what it tests must leave none behind. */
#ifndef TESTS_OPEN_FILES_H
#define TESTS_OPEN_FILES_H

unsigned open_files(void);

#endif
