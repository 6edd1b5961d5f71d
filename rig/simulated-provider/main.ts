import { parseArgs } from "node:util";
import type { SimulatedState } from "./provider.ts";
import { CALL_FAULTS, REPORT_FAULTS, serveSimulatedProvider } from "./server.ts";

const HELP = `npm run simulated-provider: a provider of payments, for trying PROVIDERS (docs/operating/payment-provider.md). Its money is in memory.

  --secret <whsec_…>            what PROVIDER_SECRETS of the platform has of it; needed
  --report <address>            where it reports: http://127.0.0.1:8080/v1/providers/acme/payments
  --port <number>               8092
  --deposits <state>            what a new deposit becomes at once: open, authorised, captured or refused (open)
  --withdrawals <state>         what a new withdrawal becomes at once: open, paid or failed (paid)
  --call-fault <name=share>     this share (0 to 1) of all calls goes wrong so; may be repeated
                                ${CALL_FAULTS.join(", ")}
  --report-fault <name=share>   the same of its reports
                                ${REPORT_FAULTS.join(", ")}
  --help                        this text
`;

const { values } = parseArgs({
  options: {
    secret: { type: "string" },
    report: { type: "string" },
    port: { type: "string", default: "8092" },
    deposits: { type: "string", default: "open" },
    withdrawals: { type: "string", default: "paid" },
    "call-fault": { type: "string", multiple: true, default: [] },
    "report-fault": { type: "string", multiple: true, default: [] },
    help: { type: "boolean", default: false },
  },
});
if (values.help || values.secret === undefined) {
  process.stdout.write(HELP);
  process.exit(values.help ? 0 : 2);
}

/** One draw decides which fault there is, so that shares add up. */
function drawn<Fault extends string>(pairs: readonly string[], known: readonly Fault[]): () => Fault | undefined {
  const shares = pairs.map((pair) => pair.split("="));
  return () => {
    let draw = Math.random();
    for (const [name, share] of shares) {
      if (draw < Number(share)) return known.find((one) => one === name);
      draw -= Number(share);
    }
    return undefined;
  };
}

const { url } = await serveSimulatedProvider({
  secret: values.secret,
  port: Number(values.port),
  reportTo: () => values.report,
  deposits: values.deposits as SimulatedState,
  withdrawals: values.withdrawals as SimulatedState,
  callFault: drawn(values["call-fault"], CALL_FAULTS),
  reportFault: drawn(values["report-fault"], REPORT_FAULTS),
});
process.stdout.write(`The provider answers at ${url}\n`);
