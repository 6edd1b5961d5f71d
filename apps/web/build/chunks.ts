import { LANGUAGES } from "@longarm/contract/settings";
import type { Plugin } from "vite";

/*
 * What is loaded together stays in one file: in pieces that later pages share the first loads weigh several KiB more. A group takes what its
 * modules import too, unless a group before it has it, so no two files need each other. A module of a list that is imported by
 * `import()`, as a route is, has no file of its own any more: who asks for it gets all of its group.
 */
type Group = { name: string; test: RegExp };

const oneOf = (...parts: string[]): string => `(?:${parts.join("|")})`;
const src = (...parts: string[]): string => `apps/web/src/${oneOf(...parts)}(?:\\.tsx?|\\.module\\.css)$`;
const ui = (...parts: string[]): string => `packages/ui/src/${oneOf(...parts)}(?:\\.tsx?|\\.module\\.css)$`;
const packages = (...names: string[]): string => `node_modules/${oneOf(...names)}/`;
const group = (name: string, ...parts: string[]): Group => ({ name, test: new RegExp(oneOf(...parts)) });

/** Of what every page runs on the largest part: two files of one size come sooner than one of both, for each line begins slowly. */
const DRAWING = group("drawing", "rolldown[/-]runtime", packages("react", "react-dom", "scheduler"));
/** What every page runs on, the login too, with what pages and platform say to each other by HTTP. */
const START = group(
  "start",
  "packages/(?:contract/src/(?:money|ids|lobby-lists|problems|passkeys|http)|link/src/socket)\\.ts$",
  packages("zustand", "@tanstack/(?:history|react-router|router-core)"),
  "preload-helper",
  "(?:packages/ui/src/(?:global|fonts/archivo)|apps/web/src/app/start/not-started)\\.css$",
  "packages/contract/src/ice-server\\.ts$",
  src("app/(?:main|app|guard|appearance|root-view|router|start/.+|template/use-frames)"),
  src("app/entrance/entrance", "app/player/keep-player-link", "features/device/install-prompt"),
  src("shared/(?:api|auth|contacts|paths|settings|storage|throttle)/.+"),
  ui("money/currency"),
  src("shared/i18n/(?:problem-text|load-catalogue)", "shared/ui/splash"),
  ui("i18n/(?:use-text|texts)"),
  ui("field|language-choice|logo|message-host|messages|notice|page-title|segment"),
);
/** The casino shell with all that stands in it, the lobby first of all, with what they say before a game by sockets. A picture is received in a game alone. */
const LOBBY = group(
  "lobby",
  "packages/(?:contract/src/(?:envelope|notification-socket)|link/src/(?!receive-media).*)\\.ts$",
  src("features/shell/(?!panel-sheets)[^/]+", "features/shell/search/shortcuts", "features/(?:wallet|claims)/.+"),
  // Stake, order and the empty floor come when the first machines are drawn.
  src("features/lobby/(?!view/floor-choices).+"),
  src("app/routes/(?:shell|lobby)", "app/player/(?:player-link|player-views|query-cache)"),
  packages("@base-ui/react/(?:csp|direction)-provider"),
);

/** The watch over an idle page: it begins once the first screen is drawn. */
const WATCH = group("watch", src("app/entrance/keep-watch", "features/lock/(?:lock|idle-watch|deactivation)"));

/** The texts of a language that come together: those of every page and of the lobby, and those that are read after the first screen is drawn. */
const TEXTS = LANGUAGES.flatMap((language) => [
  group(`texts-${language}`, `catalogues/${language}/(?:app|auth|shell|wallet|claims|lobby)\\.json$`),
  group(`later-${language}`, `catalogues/${language}/(?:code|lock)\\.json$`),
]);

/** The first group that has a module takes it. */
export const CHUNKS: Group[] = [DRAWING, START, LOBBY, WATCH, ...TEXTS];

/** Stops a build in which two files need each other before either can run: what one of them starts with would be undefined in the other. */
export function noCircles(): Plugin {
  return {
    name: "longarm-no-circles",
    apply: "build",
    generateBundle(_, bundle) {
      const walked = new Set<string>();
      const walk = (file: string, way: readonly string[]): void => {
        if (way.includes(file)) this.error(`These files need each other: ${[...way, file].join(" > ")}`);
        const chunk = bundle[file];
        if (walked.has(file) || chunk?.type !== "chunk") return;
        for (const next of chunk.imports) walk(next, [...way, file]);
        walked.add(file);
      };
      for (const file of Object.keys(bundle)) walk(file, []);
    },
  };
}
