import { parseArgs } from "node:util";
import type { WalletFault } from "./server.ts";
import { serveSimulatedWallet, WALLET_FAULTS } from "./server.ts";
import { SimulatedWallet } from "./wallet.ts";

const HELP = `npm run simulated-wallet: a wallet of an operator, for trying WALLET_URL (docs/operating/remote-wallet.md). Its money is in memory.

  --secret <whsec_…>          what WALLET_SECRETS of the platform begins with; needed
  --port <number>             8091
  --balance <player=amount>   opens an account, minor units; may be repeated
  --fault <name=share>        this share (0 to 1) of all calls goes wrong so; may be repeated
                              ${WALLET_FAULTS.join(", ")}
  --help                      this text
`;

const { values } = parseArgs({
  options: {
    secret: { type: "string" },
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

const wallet = new SimulatedWallet();
for (const pair of values.balance) {
  const [player = "", amount = ""] = pair.split("=");
  wallet.setBalance(player, Number(amount));
}
const shares = values.fault.map((pair) => pair.split("=") as [WalletFault, string]);
/** One draw decides which fault a call has, so that shares add up. */
function fault(): WalletFault | undefined {
  let drawn = Math.random();
  for (const [name, share] of shares) {
    if (drawn < Number(share)) return name;
    drawn -= Number(share);
  }
  return undefined;
}
const server = await serveSimulatedWallet({ wallet, secret: values.secret, port: Number(values.port), fault });
process.stdout.write(`The wallet answers at ${server.url}\n`);
