import { createQuickPanel, QuickPanelDrawer, QuickPanelKey } from "../../features/quick-panel/quick-panel.tsx";
import { templateApiOf } from "../account/template-api.ts";
import type { App } from "../app.ts";
import { oncePer } from "../app.ts";
import { useTextsOf } from "./use-texts-of.ts";

/** Guests get no events or notes: these are for players. */
const panelOf = oncePer((app: App) =>
  createQuickPanel(() =>
    app.auth.state.getState().is === "player" ? templateApiOf(app).call("quickPanel", {}) : undefined,
  ),
);

/** The quick panel's key in a toolbar, and its drawer: where they meet the template's calls. */
export function QuickPanelWithKey({ app }: { readonly app: App }) {
  const panel = panelOf(app);
  if (!useTextsOf(app, "quickPanel")) return null;
  return (
    <>
      <QuickPanelKey panel={panel} />
      <QuickPanelDrawer panel={panel} clock={app.clock} />
    </>
  );
}
