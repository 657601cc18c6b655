/*
 * The escapes in which a text passes through another format, and what each stands for: those of JSON (RFC 8259,
 * section 7), of URLs (RFC 3986, section 2.1), of forms, where a plus is a space besides (HTML 4.01, section 17.13.4),
 * and of HTML (section 24; base/entity.h).
 *
 * What a newcomer would get wrong: this is no parser of any of them. It is for finding what a peer may have meant, so
 * whatever could be an escape is one, wherever it stands.
 */
#ifndef BASE_ESCAPE_H
#define BASE_ESCAPE_H

#include <stddef.h>

#define ESCAPE_KINDS 4

/*
 * The length of the escape that begins at `text`, and the *meant_len bytes of UTF-8 that it stands for: no more than it
 * has itself, and never a NUL. 0: none begins here.
 */
typedef size_t escape_fn(char meant[4], size_t *meant_len, const char *text, size_t len);

struct escape_kind {
	escape_fn *read;
	char mark;		/* where it is not in a text, the other kinds find all that this one would */
};

extern const struct escape_kind escape_kinds[ESCAPE_KINDS];

#endif
