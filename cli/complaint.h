/* What is wrong with what the user asked for: one sentence on standard error, whatever is quoted in it. */
#ifndef CLI_COMPLAINT_H
#define CLI_COMPLAINT_H

/* "adit: " and the sentence, which has no full stop and no line's end. Returns -1. */
__attribute__((format(printf, 1, 2))) int complain(const char *format, ...);

#endif
