'use strict';
// Transactions for a node's templates:  node mktx.js RPC_PORT USER PASSWORD COUNT
// Each of COUNT coinbases that paid the rig's key, and are old enough, is spent to the same key as witness program; and that
// output again, so that every second transaction needs the first and has a witness. Prints how many the node took.
const {client} = require('./rpc'), bcoin = require('./bcoin');
const KeyRing = bcoin.part('primitives/keyring'), MTX = bcoin.part('primitives/mtx'), Coin = bcoin.part('primitives/coin');
const Block = bcoin.part('primitives/block'), Script = bcoin.part('script/script');
const MATURE = 100, FEE = 10000;
const [port, user, pass, count] = process.argv.slice(2);
const rpc = client(port, user, pass);
const plain = KeyRing.fromPrivate(Buffer.alloc(32, 1), true), witness = KeyRing.fromPrivate(Buffer.alloc(32, 1), true);
witness.witness = true;

// The output of a transaction that pays a ring's address, as a coin; null: none does, or it is spent.
async function coinOf(tx, ring, height) {
  const script = Script.fromAddress(ring.getAddress()).toRaw().toString('hex');
  const index = tx.outputs.findIndex(output => output.script.toRaw().toString('hex') === script);
  const unspent = index >= 0 && await rpc('gettxout', [tx.txid(), index, true]);
  return unspent ? Coin.fromTX(tx, index, height) : null;
}

async function spend(coin, from, to) {
  const mtx = new MTX();
  mtx.addCoin(coin);
  mtx.addOutput(to.getAddress(), coin.value - FEE);
  mtx.sign(from);
  await rpc('sendrawtransaction', [mtx.toRaw().toString('hex')]);
  return mtx;
}

(async () => {
  const tip = await rpc('getblockcount');
  let taken = 0;
  for (let height = 1; height <= tip - MATURE && taken < 2 * count; height++) {
    const block = await rpc('getblock', [await rpc('getblockhash', [height]), 0]);
    const coin = await coinOf(Block.fromRaw(Buffer.from(block, 'hex')).txs[0], plain, height);
    if (!coin)
      continue;
    const first = await spend(coin, plain, witness);
    await spend(Coin.fromTX(first, 0, -1), witness, witness);
    taken += 2;
  }
  console.log(taken);
})();
