'use strict';
// A full node in regtest, loopback only, all in memory:  node node.js RPC_PORT
// It prints a line of JSON when it listens and for each new tip, with the time as milliseconds since 1970:
//   {"listening":PORT}   {"tip":HASH,"height":N,"at":MS}
//
// RIG_BITS=1e00ffff       the difficulty of blocks, in hex. regtest's own is two hashes a block
// RIG_EASY=440            but so many blocks first at regtest's own: generatetoaddress makes them in no time
// RIG_POW=lyra2rev2       another proof of work than SHA-256 twice, which stays the name of a block; see hasher.js
const bcoin = require('./bcoin');
const [port] = process.argv.slice(2);
const easy = Number(process.env.RIG_EASY || 0), bits = parseInt(process.env.RIG_BITS || '207fffff', 16);
const Chain = bcoin.part('blockchain/chain'), regtest = bcoin.part('protocol/networks').regtest;

Chain.prototype.getTarget = async (time, prev) => prev && prev.height >= easy ? bits : regtest.pow.bits;

if (process.env.RIG_POW) {
  const hash = require('./hasher')[process.env.RIG_POW];
  const {verifyPOW} = bcoin.part('protocol/consensus');
  bcoin.part('primitives/abstractblock').prototype.verifyPOW = function() {
    return verifyPOW(hash(this.toHead()).toString('hex'), this.bits);
  };
  const Template = bcoin.part('mining/template').BlockTemplate, getProof = Template.prototype.getProof;
  Template.prototype.getProof = function(nonce1, nonce2, time, nonce) {
    const proof = getProof.call(this, nonce1, nonce2, time, nonce);
    proof.hash = hash(this.getHeader(proof.root, time, nonce));
    return proof;
  };
}

const FullNode = bcoin.part('node/fullnode');
const node = new FullNode({
  'network': 'regtest', 'memory': true, 'workers': false, 'listen': false, 'max-outbound': 1, 'no-dns': true, 'bip37': false,
  'http-host': '127.0.0.1', 'http-port': Number(port), 'api-key': 'rig', 'log-level': 'error', 'log-file': false,
  'coinbase-address': 'mrcNu71ztWjAQA6ww9kHiW3zBWSQidHXTQ'
});
const say = what => console.log(JSON.stringify(what));

node.chain.on('tip', tip => say({tip: tip.rhash(), height: tip.height, at: Date.now()}));
process.on('unhandledRejection', fault => { throw fault; });
(async () => {
  await node.ensure();
  await node.open();
  await node.connect();
  node.startSync();
  say({listening: Number(port)});
})();
