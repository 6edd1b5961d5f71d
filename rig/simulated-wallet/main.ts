import { parseArgs } from "node:util";
import { tryWallet } from "./scenarios.ts";
import type { WalletFault } from "./server.ts";
import { serveSimulatedWallet, WALLET_FAULTS } from "./server.ts";
import { SimulatedWallet } from "./wallet.ts";

const HELP = `npm run simulated-wallet: a wallet of an operator, for trying WALLET_URL (docs/operating/remote-wallet.md). Its money is in memory.

  --secret <whsec_…>          what WALLET_SECRETS of the platform begins with; needed
  --check <address>           tries the wallet at this address with ten scenarios, and ends: 0 where it keeps them all
  --player <id>               with --check: a player of that wallet who has 10.00 at least
  --currency <code>           with --check: TRY
  --port <number>             8091
  --balance <player=amount>   opens an account, minor units; may be repeated
  --fault <name=share>        this share (0 to 1) of all calls goes wrong so, or of one kind of call: undo:broken=0.5; may be repeated
                              ${WALLET_FAULTS.join(", ")}
  --help                      this text
`;

const { values } = parseArgs({
  options: {
    secret: { type: "string" },
    check: { type: "string" },
    player: { type: "string", default: "" },
    currency: { type: "string", default: "TRY" },
    port: { type: "string", default: "8091" },
    balance: { type: "string", multiple: true, default: [] },
    fault: { type: "string", multiple: true, default: [] },
    help: { type: "boolean", default: false },
  },
});
if (values.help || values.secret === undefined) {
  process.stdout.write(HELP);
  process.exit(values.help ? 0 : 2);
}

if (values.check !== undefined) {
  const { check: url, player, currency, secret } = values;
  const found = await tryWallet({ url, player, currency, secret });
  for (const { name, wrong } of found)
    process.stdout.write(wrong === undefined ? `ok    ${name}\n` : `WRONG ${name}: ${wrong}\n`);
  process.exit(found.some(({ wrong }) => wrong !== undefined) ? 1 : 0);
}

const wallet = new SimulatedWallet();
for (const pair of values.balance) {
  const [player = "", amount = ""] = pair.split("=");
  wallet.setBalance(player, Number(amount));
}
/** @throws Error with a sentence for what is no fault. */
function shareOf(pair: string) {
  const [, only, word, share = ""] = /^(?:(\w+):)?(\w+)=([\d.]+)$/.exec(pair) ?? [];
  const name = WALLET_FAULTS.find((one) => one === word);
  if (name === undefined) throw new Error(`--fault ${pair} is not name=share or call:name=share.`);
  return { only, name, share: Number(share) };
}
const shares = values.fault.map(shareOf);
/** One draw decides which fault a call has, so that shares add up. */
function fault(call: string): WalletFault | undefined {
  let drawn = Math.random();
  for (const { only, name, share } of shares) {
    if (only !== undefined && only !== call) continue;
    if (drawn < share) return name;
    drawn -= share;
  }
  return undefined;
}
const server = await serveSimulatedWallet({ wallet, secret: values.secret, port: Number(values.port), fault });
process.stdout.write(`The wallet answers at ${server.url}\n`);
