import type { Breach } from "../source/breach.ts";
import { isTest } from "../source/repository.ts";
import type { Import } from "./read-imports.ts";

/** What each workspace may import besides itself. Root rooms (tooling, launcher, rig, e2e, bench, proof) may import every workspace. */
const below: Record<string, readonly string[]> = {
  "packages/contract": [],
  "packages/link": ["packages/contract"],
  "packages/database": ["packages/contract"],
  "packages/reels": [],
  "packages/load": ["packages/contract", "packages/link"],
  "packages/ui": ["packages/contract", "packages/link"],
  "packages/ledger": ["packages/contract", "packages/database"],
  "apps/web": ["packages/contract", "packages/link", "packages/ui"],
  "apps/console": ["packages/contract", "packages/link", "packages/ui"],
  "apps/platform": ["packages/contract", "packages/link", "packages/database", "packages/ledger", "packages/load"],
  "apps/cabinet": ["packages/reels"],
  "apps/agent": ["packages/contract", "packages/link", "packages/reels"],
};

const workspaceOf = (path: string): string | undefined => /^(packages|apps)\/[^/]+/.exec(path)?.[0];

type Rule = (one: Import & { target: string }) => string | undefined;

const betweenWorkspaces: Rule = ({ from, target, specifier }) => {
  const own = workspaceOf(from);
  const other = workspaceOf(target);
  if (own === undefined || own === other) return undefined;
  // Whatever a test starts that is not ours it gets from the finder.
  if (target === "tooling/finders/find-tool.ts" && isTest(from)) return undefined;
  if (other === undefined)
    return `imports ${specifier}: ${own} may not know the root rooms; move what it needs into a package.`;
  if (!(below[own] ?? []).includes(other)) {
    const may = below[own]?.join(", ") || "nothing of ours";
    return `imports ${specifier}: imports point down only, and ${own} may import ${may}.`;
  }
  if (specifier.startsWith("."))
    return `reaches into ${other} by a relative path; write @longarm/${other.split("/")[1]}/….`;
  return undefined;
};

const pageOf = (path: string): string | undefined => /^apps\/(?:web|console)\/src\//.exec(path)?.[0];
const featureOf = (path: string): string | undefined =>
  /^apps\/(?:web|console)\/src\/features\/([^/]+)/.exec(path)?.[1];

const insidePage: Rule = ({ from, target, specifier }) => {
  const web = pageOf(from);
  if (web === undefined || pageOf(target) !== web) return undefined;
  const own = featureOf(from);
  const other = featureOf(target);
  if (from.startsWith(`${web}shared/`) && !target.startsWith(`${web}shared/`)) {
    return `imports ${specifier}: shared knows no feature and no route; pass it in from app/.`;
  }
  if (own === undefined) return undefined;
  if (other !== undefined && other !== own) {
    return `imports ${specifier}: a feature never imports a feature; let a route in app/ bring ${own} and ${other} together.`;
  }
  if (target.startsWith(`${web}app/`))
    return `imports ${specifier}: features do not know the app; let app/ pass it in.`;
  return undefined;
};

const stateWithoutReact = ({ from, specifier }: Import): string | undefined =>
  /^apps\/web\/src\/features\/[^/]+\/state\//.test(from) && !isTest(from) && /^react(-dom)?(\/|$)/.test(specifier)
    ? `imports ${specifier}: state is plain objects without React; read it from a hook in view/.`
    : undefined;

/** Folders that are entered only by their index.ts: the rooms of the platform's domains and its bus, the agent's drivers. */
const withDoor = /^(apps\/platform\/src\/(?:modules\/[^/]+\/[^/]+|bus)|apps\/agent\/src\/drivers\/[^/]+)\//;
const partOf = (path: string): string | undefined => withDoor.exec(path)?.[1];

const byTheDoor: Rule = ({ from, target, specifier }) => {
  const own = partOf(from);
  const other = partOf(target);
  if (!/^apps\/[^/]+\/src\//.test(from)) return undefined;
  if (other !== undefined && own !== other && target !== `${other}/index.ts`) {
    return `imports ${specifier}: enter ${other} by its door, index.ts.`;
  }
  if (own !== undefined && /^apps\/(platform|agent)\/src\/(main|platform|agent)\.ts$/.test(target)) {
    return `imports ${specifier}: a part does not know the whole; take what it needs as an argument.`;
  }
  return undefined;
};

/** The platform runs without the load tool, which is an optional package. */
const loadByItsCommand: Rule = ({ from, target, specifier }) =>
  target.startsWith("packages/load/") && from.startsWith("apps/platform/") && !loadCommand.test(from)
    ? `imports ${specifier}: only the command longarm load may, which is loaded when it is called.`
    : undefined;
const loadCommand = /^apps\/platform\/src\/cli\/commands\/load(-[a-z]+)?\.(test\.)?ts$/;

/** The kit is below what uses it, and those do not use each other's apparatus. */
const aboveTheKit: Rule = ({ from, target, specifier }) => {
  const own = /^(rig|bench|proof)\//.exec(from)?.[1];
  const other = /^(bench|proof|e2e)\//.exec(target)?.[1];
  if (own === undefined || other === undefined || own === other || isTest(from)) return undefined;
  // What the web is given by a scripted back end is measured too.
  if (own === "bench" && target.startsWith("e2e/scripted/")) return undefined;
  return `imports ${specifier}: ${own} may not use the apparatus of ${other}; move what both need into rig/.`;
};

const rules: Rule[] = [betweenWorkspaces, insidePage, byTheDoor, loadByItsCommand, aboveTheKit];

/** Every import that points the wrong way. */
export function directionBreaches(imports: Import[]): Breach[] {
  return imports.flatMap((one) => {
    const { target } = one;
    const inside = target === undefined ? [] : rules.map((rule) => rule({ ...one, target }));
    const sentences = [stateWithoutReact(one), ...inside].filter((sentence) => sentence !== undefined);
    return sentences.map((sentence) => ({ path: one.from, line: one.line, sentence }));
  });
}

/** A barrel hides what is used; only doors are called index. */
export function barrelBreaches(paths: string[]): Breach[] {
  const door =
    /^(apps\/platform\/src\/(modules\/[^/]+(\/[^/]+)?|bus)|apps\/agent\/src\/drivers\/[^/]+|apps\/web\/src\/features\/[^/]+)\/index\.tsx?$/;
  return paths
    .filter((path) => /(^|\/)index\.tsx?$/.test(path) && !door.test(path))
    .map((path) => ({
      path,
      sentence:
        "is a barrel: only the doors of modules, drivers and features are called index; name the file after its idea.",
    }));
}
