dnl What configure.ac is written in: one macro per kind of probe.

dnl MINER_CFLAG(FLAG): add FLAG to MINER_CFLAGS when the compiler takes it.
AC_DEFUN([MINER_CFLAG], [
	AC_MSG_CHECKING([whether $CC takes $1])
	miner_saved="$CFLAGS"
	CFLAGS="$CFLAGS $1"
	AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])],
		[AC_MSG_RESULT([yes]); MINER_CFLAGS="$MINER_CFLAGS $1"], [AC_MSG_RESULT([no])])
	CFLAGS="$miner_saved"
])

dnl MINER_ISA(NAME, FLAGS, HOST CPUS, PROLOGUE): build simd/NAME.c, alone, with FLAGS, when
dnl the host's CPU matches and the compiler takes them. Defines ISA_NAME for simd/list.h.
AC_DEFUN([MINER_ISA], [
	m4_pushdef([MINER_UPPER], m4_toupper([$1]))
	miner_isa=no
	AS_CASE([$host_cpu], [$3], [
		AC_MSG_CHECKING([whether $CC builds $1 with "$2"])
		miner_saved="$CFLAGS"
		CFLAGS="$CFLAGS $2"
		AC_COMPILE_IFELSE([AC_LANG_PROGRAM([$4], [])], [miner_isa=yes])
		CFLAGS="$miner_saved"
		AC_MSG_RESULT([$miner_isa])
	])
	AS_IF([test $miner_isa = yes],
		[AC_DEFINE([ISA_]MINER_UPPER, [1], [Build simd/$1.c])])
	AC_SUBST([ISA_]MINER_UPPER[_CFLAGS], ["$2"])
	AM_CONDITIONAL([ISA_]MINER_UPPER, [test $miner_isa = yes])
	m4_popdef([MINER_UPPER])
])

dnl Stop, in one sentence, when there is no pkg-config: here for who makes configure, whose
dnl PKG_ macros would stay in it as shell commands, and in configure for who runs it.
AC_DEFUN([MINER_NEED_PKG_CONFIG], [
	m4_ifndef([PKG_PROG_PKG_CONFIG],
		[m4_fatal([pkg.m4 not found; install pkg-config (Debian) or pkgconf-pkg-config (Fedora)])])
	PKG_PROG_PKG_CONFIG
	AS_IF([test -z "$PKG_CONFIG"],
		[AC_MSG_ERROR([pkg-config not found; install pkg-config (Debian) or pkgconf-pkg-config (Fedora)])])
])

dnl MINER_LIB(PREFIX, MODULE, DEBIAN PACKAGE, FEDORA PACKAGE): a required library.
AC_DEFUN([MINER_LIB], [
	PKG_CHECK_MODULES([$1], [$2], [],
		[AC_MSG_ERROR([$2 not found; install $3 (Debian) or $4 (Fedora)])])
])
