/* Sessions whose client is gone: see resume.h. */
#include "tests/devpool/resume.h"

#include "base/bytes.h"
#include "base/hex.h"

void resume_keep(struct resume *resume, const struct tenure *tenure)
{
	struct tenure *kept = &resume->left[resume->next];

	*kept = *tenure;
	given_cut(&kept->given);
	resume->next = (resume->next + 1) % RESUME_KEPT;
}

bool resume_take(struct resume *resume, struct tenure *tenure, const char *id)
{
	uint8_t bytes[4];

	if (!hex_decode(bytes, sizeof bytes, id) || load_be32(bytes) == 0)
		return false;
	for (size_t i = 0; i < RESUME_KEPT; i++)
		if (resume->left[i].id == load_be32(bytes)) {
			*tenure = resume->left[i];
			resume->left[i].id = 0;
			return true;
		}
	return false;
}
