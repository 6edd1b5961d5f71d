import { OPENID_PATH } from "@longarm/contract/player-openid";
import { isLoopback } from "@longarm/link/environment";
import type { IssuerSettings } from "../openid.ts";

/** A form has so many buttons at most. */
const ISSUERS_MAX = 8;
/** What the issuer of PLAYER_OIDC_ISSUER is called. */
const ONLY = "own";

/** An issuer that signs players in. */
export type PlayerIssuer = {
  /** What the operator calls it: in the page's calls, its redirect address and the name of its icon. */
  readonly name: string;
  readonly settings: IssuerSettings;
  /** Where browsers come back to, on the origin of the page that they left. No two issuers have the same one. */
  readonly path: string;
  /** Whether a first sign-in opens an account. */
  readonly opensAccounts: boolean;
};

/** The variables of players' issuers, read by `variables.ts`. */
type Given = {
  readonly PLAYER_OIDC_ISSUER: string | null;
  readonly PLAYER_OIDC_CLIENT_ID: string | null;
  readonly PLAYER_OIDC_CLIENT_SECRET: string | null;
  readonly PLAYER_OIDC_LABEL: string | null;
  readonly PLAYER_OIDC_REGISTRATION: boolean;
  readonly PLAYER_ISSUERS: readonly string[];
  readonly PLAYER_ISSUER_CLIENTS: readonly string[];
  readonly PLAYER_ISSUER_SECRETS: readonly string[];
  readonly PLAYER_ISSUER_LABELS: readonly string[];
  readonly PLAYER_ISSUER_REGISTRATION: readonly string[];
};

/** Both sides of `name=value`. */
export const pairOf = (text: string): readonly [name: string, value: string] => {
  const at = text.indexOf("=");
  return [text.slice(0, at), text.slice(at + 1)];
};

/** The issuers that sign players in, in the order of their buttons. The variables were checked by `playerIssuerContradictions`. */
export function playerIssuersOf(given: Given): readonly PlayerIssuer[] {
  const only = onlyIssuerOf(given);
  if (only !== undefined) return [only];
  const [clients, secrets, labels] = [
    given.PLAYER_ISSUER_CLIENTS,
    given.PLAYER_ISSUER_SECRETS,
    given.PLAYER_ISSUER_LABELS,
  ].map((pairs) => new Map(pairs.map(pairOf)));
  return given.PLAYER_ISSUERS.map(pairOf).map(([name, issuer]) => ({
    name,
    settings: settingsOf({
      issuer,
      clientId: clients?.get(name) ?? "",
      clientSecret: secrets?.get(name) ?? "",
      label: labels?.get(name) ?? null,
    }),
    path: `${OPENID_PATH}/${name}`,
    opensAccounts: given.PLAYER_ISSUER_REGISTRATION.includes(name),
  }));
}

/** The issuer of the settings that know one. */
function onlyIssuerOf(given: Given): PlayerIssuer | undefined {
  const {
    PLAYER_OIDC_ISSUER: issuer,
    PLAYER_OIDC_CLIENT_ID: clientId,
    PLAYER_OIDC_CLIENT_SECRET: clientSecret,
    PLAYER_OIDC_LABEL: label,
    PLAYER_OIDC_REGISTRATION: opensAccounts,
  } = given;
  if (issuer === null || clientId === null || clientSecret === null) return undefined;
  return {
    name: ONLY,
    settings: settingsOf({ issuer, clientId, clientSecret, label }),
    path: OPENID_PATH,
    opensAccounts,
  };
}

type Client = Pick<IssuerSettings, "issuer" | "clientId" | "clientSecret"> & { readonly label: string | null };

const settingsOf = ({ label, ...client }: Client): IssuerSettings => ({
  ...client,
  label: label ?? new URL(client.issuer).hostname,
  scope: "openid profile email",
  nameClaims: ["name", "preferred_username"],
  acr: [],
  amr: [],
});

/** Who is at the other end of an issuer's address decides who staff and players are: by http only this computer. */
export function isIssuerAddress(address: string): boolean {
  const url = URL.parse(address);
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url.hostname));
  return isSafe && [url.username, url.password, url.search, url.hash].every((part) => part === "");
}

const REST = {
  PLAYER_ISSUER_CLIENTS: "client id",
  PLAYER_ISSUER_SECRETS: "client secret",
  PLAYER_ISSUER_LABELS: "label",
  PLAYER_ISSUER_REGISTRATION: "registration",
} as const;
type Rest = keyof typeof REST;
const NEEDED: readonly Rest[] = ["PLAYER_ISSUER_CLIENTS", "PLAYER_ISSUER_SECRETS"];

/** Each issuer has one address, one client and its secret; nothing is left over, and no two are the same. */
export function playerIssuerContradictions(given: Given): string[] {
  const issuers = given.PLAYER_ISSUERS.map(pairOf);
  const names = issuers.map(([name]) => name);
  const addresses = issuers.map(([, address]) => address.replace(/\/+$/, ""));
  const isOnce = (all: readonly string[]) => new Set(all).size === all.length;
  return [
    ...(given.PLAYER_OIDC_ISSUER !== null && names.length > 0 ? [MOVE] : []),
    ...(isOnce(names) && isOnce(addresses) ? [] : ["PLAYER_ISSUERS must name each issuer once, by one address"]),
    ...(names.length > ISSUERS_MAX ? [`PLAYER_ISSUERS must have ${ISSUERS_MAX} issuers at most`] : []),
    ...issuers
      .filter(([, address]) => !isIssuerAddress(address))
      .map(
        ([name]) =>
          `PLAYER_ISSUERS: ${name} must have an https address like https://login.example.org; http only on this computer`,
      ),
    ...(Object.keys(REST) as Rest[]).flatMap((variable) => restContradictions(given, variable, names)),
  ];
}

const MOVE =
  "PLAYER_OIDC_ISSUER cannot go with PLAYER_ISSUERS: name it there too, such as own=https://login.example.org, with its client, secret and label in PLAYER_ISSUER_CLIENTS, PLAYER_ISSUER_SECRETS and PLAYER_ISSUER_LABELS, register PUBLIC_URL and /callback/own as its redirect address, and leave out PLAYER_OIDC_ISSUER, PLAYER_OIDC_CLIENT_ID and PLAYER_OIDC_CLIENT_SECRET";

function restContradictions(given: Given, variable: Rest, names: readonly string[]): string[] {
  const named = given[variable].map((one) => (one.includes("=") ? pairOf(one)[0] : one));
  const missing = NEEDED.includes(variable) ? names.filter((name) => !named.includes(name)) : [];
  return [
    ...missing.map((name) => `${variable} must have the ${REST[variable]} of ${name}`),
    ...named
      .filter((name) => !names.includes(name))
      .map((name) => `PLAYER_ISSUERS is needed with the ${REST[variable]} of ${name}`),
    ...(new Set(named).size === named.length ? [] : [`${variable} must name each issuer once`]),
  ];
}
