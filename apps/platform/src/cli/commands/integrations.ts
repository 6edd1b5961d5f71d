import type { MadeKey } from "../../modules/integrations/keys/index.ts";
import {
  addIntegration,
  isScope,
  listIntegrations,
  removeIntegration,
  rotateKey,
} from "../../modules/integrations/keys/index.ts";
import type { ActingDeps, Command, CommandDeps } from "../command.ts";
import { actCommand, CommandRefused, command, UsageProblem } from "../command.ts";
import { argument, DRY_RUN, required, wholeNumber, withDefault } from "../fields.ts";
import { printableLine, timeText } from "../output.ts";
import { asStaff } from "../staff.ts";

const NAME = argument("2 to 32 small letters, digits and -, such as cashier", (text) => {
  if (/^[a-z][a-z0-9-]{1,31}$/.test(text)) return text;
  throw new UsageProblem("The name must be 2 to 32 small letters, digits and -, and begin with a letter.");
});

const scopesOf = (text: string) => {
  const scopes = [...new Set(text.split(","))];
  if (scopes.every(isScope)) return scopes;
  throw new UsageProblem("--scopes must be scopes of docs/integrating.md, with commas between.");
};

/** The only moment at which the secret can be read. */
function sayKey({ say }: CommandDeps, { keyId, secret }: MadeKey): void {
  say(`Key: ${keyId}`);
  say(`Secret (base64), shown once: ${secret}`);
}

const add = actCommand({
  name: "integrations add",
  needs: "staff.manage",
  about: "admit a system of yours to the integration port, and make its key",
  more: "  longarm integrations add cashier --scopes players.read,players.add,money.move",
  arguments: { name: NAME },
  options: { scopes: required("<list>", "what it may do, with commas between", scopesOf), dryRun: DRY_RUN },
  async run(deps: ActingDeps, { name, scopes, by, dryRun }) {
    const made = await asStaff(deps, by, (trx) => addIntegration(trx, deps.random, { name, scopes, by }), dryRun);
    if (made === undefined) throw new CommandRefused(`There is an integration called ${name} already.`);
    if (dryRun) {
      deps.say(`Would add ${name}. Nothing was changed.`);
      return { name, scopes, dryRun };
    }
    deps.say(`Added ${name}.`);
    sayKey(deps, made);
    return { name, scopes, ...made };
  },
});

const HOURS_MAX = 720;

const rotate = actCommand({
  name: "integrations rotate",
  needs: "staff.manage",
  about: "make another key; the one before stays good for a while",
  more: "  longarm integrations rotate cashier --overlap-hours 48",
  arguments: { name: NAME },
  options: {
    overlapHours: withDefault("<hours>", "how long the key before stays good (24)", "24", wholeNumber(0, HOURS_MAX)),
    dryRun: DRY_RUN,
  },
  async run(deps, { name, overlapHours, by, dryRun }) {
    const made = await asStaff(
      deps,
      by,
      (trx) => rotateKey(trx, deps.random, { name, overlapMinutes: overlapHours * 60 }),
      dryRun,
    );
    if (made === undefined) throw new CommandRefused(`There is no integration called ${name}.`);
    if (dryRun) {
      deps.say(`Would make another key for ${name}. Nothing was changed.`);
      return { name, dryRun };
    }
    sayKey(deps, made);
    return { name, ...made };
  },
});

const remove = actCommand({
  name: "integrations remove",
  needs: "staff.manage",
  about: "keep a system out from now on; its players stay",
  more: "  longarm integrations remove cashier --yes",
  arguments: { name: NAME },
  options: { dryRun: DRY_RUN },
  confirm: ({ name }) => `Every further call of ${name} is refused.`,
  async run(deps, { name, by, dryRun }) {
    const removed = await asStaff(deps, by, (trx) => removeIntegration(trx, name), dryRun);
    if (!removed) throw new CommandRefused(`There is no integration called ${name}.`);
    deps.say(dryRun ? `Would remove ${name}. Nothing was changed.` : `Removed ${name}.`);
    return { name, dryRun };
  },
});

const list = command({
  name: "integrations list",
  about: "list the systems that may call the integration port, with their keys",
  more: "  longarm integrations list",
  async run({ db, say }) {
    const integrations = await listIntegrations(db);
    if (integrations.length === 0) say("There is no integration.");
    for (const { name, scopes, players, keys } of integrations) {
      say(printableLine(`${name}  ${scopes.join(",")}  ${players} players`));
      for (const { keyId, endsAt } of keys)
        say(`  ${keyId}${endsAt === null ? "" : `, until ${timeText(new Date(endsAt))} UTC`}`);
    }
    return { integrations };
  },
});

export const integrationCommands: readonly Command[] = [add, rotate, list, remove];
