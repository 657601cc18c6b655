'use strict';
// The bcoin library without its native addons, which an installation with --ignore-scripts does not build: with its
// pure JavaScript where the native code is mandatory, and without LevelDB, so that a node has to keep all in memory.
// Its regtest gets the address prefixes that everyone else's has: "m", "n" and "bcrt", where bcoin 1.0.2 has "R" and "rb".
// RIG_NPM is the folder with node_modules.
const Module = require('module'), path = require('path');
const load = Module._load;

process.env.NODE_BACKEND = 'js';
Module._load = function(id, parent, isMain) {
  if (id === 'leveldown')
    return function() { throw new Error('no LevelDB here: keep it in memory'); };
  if (id === './murmur3' && /[\\/]mrmr[\\/]lib[\\/]/.test(parent.filename))
    id = './murmur3-browser';
  return load.call(this, id, parent, isMain);
};

const folder = path.join(process.env.RIG_NPM, 'node_modules', 'bcoin', 'lib');
const part = name => require(path.join(folder, name));

Object.assign(part('protocol/networks').regtest.addressPrefix,
  {pubkeyhash: 0x6f, scripthash: 0xc4, witnesspubkeyhash: 0x03, witnessscripthash: 0x28, bech32: 'bcrt'});

exports.part = part;      // a module of the library, by its path in lib/
