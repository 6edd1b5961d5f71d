import { parseArgs } from "node:util";
import type { IssuerFault } from "./server.ts";
import { ISSUER_FAULTS, serveSimulatedIssuer } from "./server.ts";

const HELP = `npm run simulated-issuer: an issuer of OpenID Connect, for trying PLAYER_OIDC_ISSUER and PLAYER_ISSUERS (docs/operating/openid.md). It believes every name.

  --client <id>          PLAYER_OIDC_CLIENT_ID; longarm
  --secret <secret>      PLAYER_OIDC_CLIENT_SECRET; needed
  --redirect <address>   where browsers come back to; may be repeated; http://localhost:8080/callback
  --port <number>        8092
  --fault <name>         what it does wrong
                         ${ISSUER_FAULTS.join(", ")}
  --help                 this text
`;

const { values } = parseArgs({
  options: {
    client: { type: "string", default: "longarm" },
    secret: { type: "string" },
    redirect: { type: "string", multiple: true, default: ["http://localhost:8080/callback"] },
    port: { type: "string", default: "8092" },
    fault: { type: "string" },
    help: { type: "boolean", default: false },
  },
});
const { fault } = values;
const isFault = (name: string | undefined): name is IssuerFault | undefined =>
  name === undefined || ISSUER_FAULTS.some((one) => one === name);
if (values.help || values.secret === undefined || !isFault(fault)) {
  process.stdout.write(HELP);
  process.exit(values.help ? 0 : 2);
}
const { issuer } = await serveSimulatedIssuer({
  clientId: values.client,
  clientSecret: values.secret,
  redirectUris: () => values.redirect,
  port: Number(values.port),
  fault,
});
process.stdout.write(`The issuer is ${issuer}\n`);
