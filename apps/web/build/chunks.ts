/** What is loaded together stays in one file: in pieces shared with pages that come later the first loads weigh several KiB more. */
type Group = { name: string; test: RegExp; includeDependenciesRecursively?: boolean };

const oneOf = (...parts: string[]): string => `(?:${parts.join("|")})`;
const src = (...parts: string[]): string => `apps/web/src/${oneOf(...parts)}(?:\\.tsx?|\\.module\\.css)$`;
const packages = (...names: string[]): string => `node_modules/${oneOf(...names)}/`;
const group = (name: string, ...parts: string[]): Group => ({
  ...{ name, test: new RegExp(oneOf(...parts)), includeDependenciesRecursively: false },
});

/** What every page runs on, the login too. */
const START = group(
  "start",
  packages("react", "react-dom", "scheduler", "zustand", "use-sync-external-store"),
  packages("@tanstack/(?:history|react-router|router-core|react-store|store)"),
  "preload-helper",
  "packages/contract/src/(?:settings|ice-server)\\.ts$",
  src("app/(?:once-per|enter|guard|language)"),
  src("shared/(?:api|auth|contacts|live|paths|settings|storage|throttle)/.+", "shared/money/currency"),
  src("shared/i18n/(?:use-text|problem-text|fill-text|texts|load-catalogue)"),
  src("shared/ui/(?:field|icon|icon-paths|key|logo|message-host|messages|segment|splash)"),
);
/** The casino shell with all that stands in it. The routes themselves stay out: of a module that is imported by `import()` the bundler loses the name. */
const BARS = group(
  "bars",
  src("features/shell/[^/]+", "features/shell/search/(?!search-sheet).+", "features/(?:wallet|claims)/.+"),
  src("features/info-pages/page-titles", "app/routes/claim-actions", "app/reconnect/open-session-watch"),
  src("app/frame/(?:info-seen|use-info-pages|use-returns)"),
  src("shared/navigation/(?:visible|tree)", "shared/ui/(?:sheet|use-media|lamp)", "shared/i18n/fold"),
  src("shared/money/(?!currency).+", "shared/time/.+"),
  "node_modules/@tanstack/(?:query-core|react-query)/(?!.*(?:[iI]nfiniteQuery(?!Behavior)|useMutation|useSuspense))",
  src("app/player/(?:player-views|lobby-source)"),
  packages("@base-ui/react/(?:csp|direction)-provider", "@base-ui/react/internals/(?:csp|direction)-context"),
);
const FLOOR = group("floor", src("features/lobby/.+"));

/** What pages and platform say to each other before a game: by HTTP, which the login needs too, and by sockets, which it does not. */
const WIRE = {
  name: "wire",
  test: /packages\/(contract\/src\/(money|ids|machine|problems|http)|link\/src\/socket)\.ts$/,
};
const SOCKETS = {
  name: "sockets",
  test: /packages\/(contract\/src\/(envelope|notification-socket)|link\/src\/.*)\.ts$/,
};

/** The first group that has a module takes it. */
export const CHUNKS: Group[] = [WIRE, SOCKETS, START, BARS, FLOOR];
