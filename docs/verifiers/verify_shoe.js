// Check a retired shoe in a browser: index.html beside this file takes the file that `feltlog shoe export SHOE` writes.
//
// It needs WebCrypto and nothing else, sends nothing anywhere, and shares no code with the house: this is the recipe of
// docs/shuffle.md written down once more.  `check(shoe)` resolves to a sentence that says what was checked, or rejects with
// a sentence that says what is wrong.  On a terminal: `node verify_shoe.js FILE`.
"use strict";

const FORMAT = "feltlog shoe 1";
const RANKS = "23456789TJQKA", SUITS = "SHDC";
const DECK = [...SUITS].flatMap((suit) => [...RANKS].map((rank) => rank + suit));
const DECKS_MAX = 16;
const TEXT = new TextEncoder();

class Wrong extends Error {}

const hex = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");

function unhex(text) {
  if (typeof text !== "string" || !/^([0-9a-f]{2})*$/.test(text)) throw new Wrong(`${text} is not written in hexadecimal.`);
  return Uint8Array.from(text.match(/../g) || [], (pair) => parseInt(pair, 16));
}

function joined(...parts) {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

const lines = (...parts) => TEXT.encode(parts.join("\n"));
const sha256 = async (...parts) => new Uint8Array(await crypto.subtle.digest("SHA-256", joined(...parts)));
const keyOf = (bytes) => crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
const hmac = async (key, data) => new Uint8Array(await crypto.subtle.sign("HMAC", key, data));

/** 32-bit words of HMAC-SHA256 over a label and a counter, and numbers below a bound of which none is more likely. */
class Numbers {
  constructor(key, label) {
    Object.assign(this, { key, label, counter: 0, block: new Uint8Array(0), at: 0 });
  }

  async word() {
    if (this.at >= this.block.length) {
      this.block = await hmac(this.key, TEXT.encode(this.label + this.counter));
      this.counter += 1;
      this.at = 0;
    }
    const word = new DataView(this.block.buffer).getUint32(this.at, false);
    this.at += 4;
    return word;
  }

  async below(bound) {
    const limit = 2 ** 32 - (2 ** 32 % bound);
    for (;;) {
      const word = await this.word();
      if (word < limit) return word % bound;
    }
  }
}

async function shuffled(key, shoe, decks, without) {
  const cards = Array.from({ length: decks }, () => DECK).flat();
  for (const card of without) {
    const at = cards.indexOf(card);
    if (at < 0) throw new Wrong(`${card} cannot be left out: it is not, or not so often, in ${decks} decks.`);
    cards.splice(at, 1);
  }
  const numbers = new Numbers(key, `feltlog shuffle 1\n${shoe}\n`);
  for (let last = cards.length - 1; last > 0; last -= 1) {
    const place = await numbers.below(last + 1);
    [cards[last], cards[place]] = [cards[place], cards[last]];
  }
  return cards;
}

const saltAt = async (key, shoe, place) => hex((await hmac(key, lines("feltlog salt 1", shoe, place))).slice(0, 16));
const leaf = (shoe, place, salt, card) => sha256(Uint8Array.of(0), lines("feltlog card 1", shoe, place, salt, card));

async function rootOf(leaves) {
  let level = leaves;
  while (level.length > 1) {
    const above = [];
    for (let at = 0; at + 1 < level.length; at += 2) above.push(await sha256(Uint8Array.of(1), level[at], level[at + 1]));
    if (level.length % 2) above.push(level[level.length - 1]);
    level = above;
  }
  return hex(level[0]);
}

async function ledTo(start, place, size, path) {
  const steps = [...path];
  let reached = start;
  while (size > 1) {
    if ((place ^ 1) < size) {
      if (!steps.length) return "";
      const step = unhex(steps.shift());
      reached = await (place & 1 ? sha256(Uint8Array.of(1), step, reached) : sha256(Uint8Array.of(1), reached, step));
    }
    place >>= 1;
    size = (size + 1) >> 1;
  }
  return steps.length ? "" : hex(reached);
}

const sealOf = async (shoe, player, secret) => hex(await sha256(lines("feltlog cut seal 1", shoe, player, secret)));

async function cutOf(shoe, root, told, cut, cuttingCard) {
  // Names are ASCII, so that JavaScript's order is the recipe's.
  const sorted = [...told].sort((one, other) => (one.player < other.player ? -1 : 1));
  const text = lines("feltlog cut 1", shoe, root, ...sorted.map(({ player, secret }) => `${player} ${secret}`));
  const numbers = new Numbers(await keyOf(await sha256(text)), `feltlog cut 1\n${shoe}\n`);
  const found = [];
  for (const [low, high] of [cut, cuttingCard]) found.push(low + (await numbers.below(high - low + 1)));
  return found;
}

/** No more cards are spoken of than there are; nothing is counted with other numbers. */
function checkNumbers(shoe) {
  const { shoe: name, cards, decks, left } = shoe, bounds = [shoe.bounds.cut, shoe.bounds.cutting_card], burns = shoe.burns ?? 0;
  if (![decks, cards, left, burns, ...bounds[0], ...bounds[1]].every((number) => Number.isSafeInteger(number) && number >= 0)) {
    throw new Wrong(`${name} is counted with numbers that count nothing.`);
  }
  if (decks < 1 || decks > DECKS_MAX) throw new Wrong(`${name} is told to be made of ${decks} decks; a shoe has 1 to ${DECKS_MAX}.`);
  if (burns > left || left > cards) {
    throw new Wrong(`${name} holds ${cards} cards; ${burns} are said to have been burned, and ${left} to have left it.`);
  }
  for (const [low, high] of bounds) {
    if (low > high || high > cards) {
      throw new Wrong(`${name} holds ${cards} cards, and was to be cut or marked between ${low} and ${high} of them.`);
    }
  }
}

/** A player seals, tells and gives once: a second secret under the same name would be the house's to choose. */
function checkOnce(shoe) {
  for (const listed of [shoe.contributions, shoe.table_log.sealed, shoe.table_log.told]) {
    const players = new Set();
    for (const { player } of listed) {
      if (players.has(player)) throw new Wrong(`${player} stands there more than once towards the cut of ${shoe.shoe}.`);
      players.add(player);
    }
  }
}

async function checkContributions(shoe) {
  checkOnce(shoe);
  const byPlayer = (list) => new Map(list.map((each) => [each.player, each]));
  const given = byPlayer(shoe.contributions), told = byPlayer(shoe.table_log.told), sealed = byPlayer(shoe.table_log.sealed);
  for (const player of [...new Set([...sealed.keys(), ...told.keys()])].sort()) {
    const mine = given.get(player);
    if (!mine) {
      throw new Wrong(`${player} sealed something towards the cut of ${shoe.shoe}, and it is recorded neither as told nor as missing.`);
    }
    const secret = told.has(player) ? told.get(player).secret : "";
    if (!sealed.has(player) || mine.seal !== sealed.get(player).seal || mine.secret !== secret) {
      throw new Wrong(`What ${player} gave at the table is not what ${shoe.shoe} was cut by.`);
    }
  }
  for (const { player, seal, secret } of shoe.contributions) {
    if (!sealed.has(player)) throw new Wrong(`${shoe.shoe} was cut by something of ${player} that the table never took.`);
    if (secret && (await sealOf(shoe.shoe, player, secret)) !== seal) {
      throw new Wrong(`The secret of ${player} is not the one that was sealed.`);
    }
  }
}

function byDevice(shoe) {
  return shoe.device === "shuffling_device";
}

async function checkCut(shoe) {
  if (byDevice(shoe) && [...shoe.bounds.cut, ...shoe.bounds.cutting_card].some((bound) => bound !== 0)) {
    throw new Wrong(`${shoe.shoe} was shuffled by a device, and was to be cut all the same.`);
  }
  const told = shoe.contributions.filter((each) => each.secret);
  const [front, behind] = await cutOf(shoe.shoe, shoe.root, told, shoe.bounds.cut, shoe.bounds.cutting_card);
  if (shoe.cut_at !== front || shoe.cards_behind !== behind) {
    throw new Wrong(
      `The cut does not follow from the contributions: ${shoe.cut_at} cards in front and ${shoe.cards_behind} behind the cutting card ` +
        `are told, ${front} and ${behind} follow.`,
    );
  }
}

async function checkOrder(shoe) {
  const key = await keyOf(unhex(shoe.seed));
  const cards = await shuffled(key, shoe.shoe, shoe.decks, shoe.hole ? [...shoe.without, shoe.hole] : shoe.without);
  if (cards.length !== shoe.cards) throw new Wrong(`${shoe.shoe} was to hold ${shoe.cards} cards, and its decks give ${cards.length}.`);
  const leaves = [];
  for (const [place, card] of cards.entries()) leaves.push(await leaf(shoe.shoe, place, await saltAt(key, shoe.shoe, place), card));
  if ((await rootOf(leaves)) !== shoe.root) throw new Wrong(`The seed of ${shoe.shoe} does not give the order that was committed.`);
  return cards;
}

async function checkCards(shoe, order) {
  let expected = shoe.burns;
  for (const card of shoe.drawn) {
    if (card.index !== expected) throw new Wrong(`Card ${card.index} left ${shoe.shoe} where card ${expected} was next.`);
    expected += 1;
    if (card.card === undefined) continue;
    const place = (card.index + shoe.cut_at) % shoe.cards;
    if (card.card !== order[place]) {
      throw new Wrong(`Card ${card.index} was dealt as ${card.card}, and the order says ${order[place]}.`);
    }
    if ((await ledTo(await leaf(shoe.shoe, place, card.salt, card.card), place, shoe.cards, card.path)) !== shoe.root) {
      throw new Wrong(`The path of card ${card.index} does not lead from ${card.card} to the root.`);
    }
  }
  if (expected !== shoe.left) throw new Wrong(`${shoe.left} cards are said to have left ${shoe.shoe}; ${expected} did.`);
}

function checkEnd(shoe) {
  const named = Boolean(shoe.next.shoe && shoe.next.root);
  if ((shoe.reason === "replaced") !== named) {
    throw new Wrong(`${shoe.shoe} was opened because it was ${shoe.reason}, and the shoe that replaced it is ${named ? "" : "not "}named.`);
  }
}

/** Resolve to what was checked, in a sentence; reject with `Wrong` at the first thing that does not hold. */
async function check(shoe, { root = "", mine = null } = {}) {
  if (!shoe || shoe.format !== FORMAT) throw new Wrong(`This is no shoe in the format "${FORMAT}".`);
  if (root && root !== shoe.root) throw new Wrong(`${shoe.shoe} is told to be committed to ${shoe.root}, and you saw ${root}.`);
  if (mine && !shoe.contributions.some(({ player, secret }) => player === mine.player && secret === mine.secret)) {
    throw new Wrong(`${shoe.shoe} was not cut by the secret that you name.`);
  }
  checkNumbers(shoe);
  const order = await checkOrder(shoe);
  if (shoe.cut_at !== null) {
    await checkContributions(shoe);
    await checkCut(shoe);
    await checkCards(shoe, order);
  } else if (shoe.drawn.length) {
    throw new Wrong(`Cards left ${shoe.shoe}, which was never cut.`);
  }
  checkEnd(shoe);
  const told = shoe.contributions.filter((each) => each.secret).length;
  const faces = shoe.drawn.filter((card) => card.card !== undefined).length;
  const cut = told ? `${told} player${told === 1 ? "" : "s"}` : byDevice(shoe) ? "nobody, for a device shuffled it" : "the dealer";
  const by = shoe.cut_at === null ? "nobody, for it was never used" : cut;
  return `${shoe.shoe} holds: ${shoe.cards} cards committed, cut by ${by}, ${faces} of ${shoe.left} cards that left it open, each proved.`;
}

/** Return what an error of `check`, or of reading the file, says to a person. */
const sentence = (error) => (error instanceof Wrong ? error.message : `The file does not say what a shoe must say: ${error.message}.`);

if (typeof window !== "undefined") {
  window.verifyShoe = { check, sentence };
} else {
  const fs = require("node:fs");
  if (typeof globalThis.crypto === "undefined") globalThis.crypto = require("node:crypto").webcrypto;
  Promise.resolve()
    .then(() => check(JSON.parse(fs.readFileSync(process.argv[2], "utf-8"))))
    .then((said) => console.log(said))
    .catch((error) => {
      console.log(sentence(error));
      process.exitCode = 1;
    });
}
