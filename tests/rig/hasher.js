'use strict';
// Proofs of work that no package has, by adit's own reference, which ADIT names: header -> digest, both as bytes.
const {execFileSync} = require('child_process');

exports.lyra2rev2 = header => {
  const digest = execFileSync(process.env.ADIT, ['--hash', 'lyra2rev2', header.toString('hex')], {encoding: 'ascii'});
  return Buffer.from(digest.trim(), 'hex');
};
