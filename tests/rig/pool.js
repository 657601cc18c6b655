'use strict';
// A pool server in front of a node, loopback only:
//   node pool.js STRATUM_PORT RPC_PORT USER PASSWORD ADDRESS DIFFICULTY ALGORITHM
// STRATUM_PORT is below 4000. It prints a line of JSON when it is ready and for each share, as the miner is told, and block,
// as the node says; anything else is its log. version is the sixth parameter of mining.submit, null when there was none:
//   {"ready":true}   {"share":"valid"|REASON,"version":HEX}   {"block":HASH,"accepted":true|false}
//
// RIG_SHARES_ONLY=1   no share is a block, whatever the node says, so that none becomes stale by one before it
// RIG_TLS=FOLDER      TLS, with FOLDER/certificates/{key,cert}.pem
//
// The package foundation-stratum, with what it has from native addons replaced by JavaScript: the hashes by node's own and
// by hasher.js, and big numbers by BigInt.
const Module = require('module'), crypto = require('crypto'), net = require('net'), path = require('path');
const [stratumPort, rpcPort, user, pass, address, difficulty, algorithm] = process.argv.slice(2);
const say = what => console.log(JSON.stringify(what));
const sha256 = data => crypto.createHash('sha256').update(data).digest();
const hashes = {sha256d: data => sha256(sha256(data)), ...require('./hasher')};

// Of the package bignum, what is used here.
class Big {
  constructor(value) { this.value = value; }
  ge(other) { return this.value >= other.value; }
  mul(other) { return new Big(this.value * big(other).value); }
  pow(other) { return new Big(this.value ** big(other).value); }
  toNumber() { return Number(this.value); }
}
const big = (x, base) => x instanceof Big ? x : new Big(base === 16 ? BigInt('0x' + x) : BigInt(x));
big.fromBuffer = (bytes, {endian}) => big((endian === 'little' ? Buffer.from(bytes).reverse() : bytes).toString('hex'), 16);

const instead = {'foundation-multi-hashing': hashes, 'bignum': big};
const load = Module._load;
Module._load = function(id, ...rest) {
  return instead[id] || load.call(this, id, ...rest);
};

const listen = net.Server.prototype.listen;       // the package listens to everyone
net.Server.prototype.listen = function(port, ...rest) {
  return listen.call(this, port, '127.0.0.1', ...rest);
};

const root = path.join(process.env.RIG_NPM, 'node_modules', 'foundation-stratum');
const part = name => require(path.join(root, 'scripts', 'main', name));
const Algorithms = part('algorithms'), Manager = part('manager');

// Its share difficulty is 256 times Bitcoin's, as of all chained algorithms.
Algorithms.lyra2rev2 = {multiplier: 256, diff: Number(0xffffn << 208n), hash: () => hashes.lyra2rev2};

// What the pool makes of templates and shares, seen from outside.
require.cache[require.resolve(path.join(root, 'scripts', 'main', 'manager'))].exports = class extends Manager {
  constructor(...args) {
    super(...args);
    const {processTemplate, processShare} = this;
    this.processTemplate = (template, force) => {
      const harder = process.env.RIG_SHARES_ONLY ? {target: 'ff'.padStart(64, '0')} : {};
      return processTemplate.call(this, {...template, ...harder}, force);
    };
    this.processShare = (...share) => {
      const verdict = processShare.apply(this, share), submission = share[share.length - 1];
      say({share: verdict.error ? verdict.error[1] : 'valid', version: submission.versionBit || null});
      return verdict;
    };
  }
};

// The first byte of a base58 address of 25.
function version(address) {
  const digits = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
  return Number([...address].reduce((n, digit) => n * 58n + BigInt(digits.indexOf(digit)), 0n) >> 192n);
}

if (process.env.RIG_TLS)
  process.chdir(process.env.RIG_TLS);
const network = {coin: 'btc', bech32: 'bcrt', bip32: {public: 0, private: 0}, pubKeyHash: version(address), scriptHash: 0xc4,
  wif: 0xef, messagePrefix: ''};
const pool = require(root).create({
  enabled: true, name: 'rig', coins: ['rig'], debug: true, statistics: {}, p2p: {enabled: false},
  primary: {
    address, recipients: [], daemons: [{host: '127.0.0.1', port: Number(rpcPort), username: user, password: pass}],
    coin: {name: 'rig', symbol: 'RIG', asicboost: true, getinfo: false, hybrid: false, segwit: true, version: 1,
      algorithms: {mining: algorithm, block: 'sha256d', coinbase: 'sha256d'}, mainnet: network, testnet: network,
      rewards: {type: ''}}
  },
  settings: {blockRefreshInterval: 500, connectionTimeout: 600, jobRebroadcastTimeout: 20, tcpProxyProtocol: false},
  banning: {time: 600, invalidPercent: 0.99, checkThreshold: 5000, purgeInterval: 300},
  ports: [{port: Number(stratumPort), enabled: true, type: 'solo', tls: Boolean(process.env.RIG_TLS),
    difficulty: {initial: Number(difficulty), minimum: Number(difficulty), maximum: Number(difficulty), targetTime: 15,
      retargetTime: 90, variance: 0.3}}]
}, {identifier: 'rig', tls: {key: 'key.pem', cert: 'cert.pem'}},
  (ip, port, primary, auxiliary, password, answer) => answer({error: null, authorized: true, disconnect: false}),
  () => say({ready: true}));

pool.on('log', (severity, text) => console.log('[%s] %s', severity, text));
pool.on('share', (share, type, accepted, done) => {
  if (share.blockType === 'primary')
    say({block: share.hash, accepted: Boolean(accepted)});
  if (done)
    done();
});
pool.setupPool();
