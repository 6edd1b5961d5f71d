import { useLoaderData, useNavigate, useRouteContext } from "@tanstack/react-router";
import { lazy, useLayoutEffect } from "react";
import { Page } from "../../../features/shell/page.tsx";
import type { NewAccount, ShowcaseHost } from "../../../features/showcase/host.ts";
import { ShowcaseContext } from "../../../features/showcase/host.ts";
import { useText } from "../../../shared/i18n/use-text.ts";
import { paths } from "../../../shared/paths/paths.ts";
import { registerWith } from "../../account/register.ts";
import { usePageTitle } from "../../page-title.ts";
import type { LoadedPage } from "./template-page.ts";

const STATES = {
  machines: lazy(async () => ({ default: (await import("./machine-states.tsx")).MachineStates })),
  controls: lazy(async () => ({ default: (await import("./control-states.tsx")).ControlStates })),
  palettes: lazy(async () => ({ default: (await import("./palette-states.tsx")).PaletteStates })),
};

/** Where a page of the template meets the app: its bars, its layout, and the account that it may open. */
export function TemplateRoute() {
  const { app } = useRouteContext({ from: "__root__" });
  const { page, Content } = useLoaderData({ strict: false }) as LoadedPage;
  const { t } = useText();
  const navigate = useNavigate();
  const title = t(page.label);
  usePageTitle(title);
  useLayoutEffect(() => {
    app.appearance.forRoute(page.layout);
    return () => app.appearance.forRoute(undefined);
  }, [app, page]);

  const host: ShowcaseHost = {
    clock: app.clock,
    timers: app.timers,
    say: app.messages.say,
    states: STATES,
    async register(account: NewAccount) {
      const errors = await registerWith(app)(account);
      if (errors === undefined) void navigate({ to: paths.start, replace: true });
      return errors;
    },
  };
  return (
    <ShowcaseContext value={host}>
      <Page title={page.heading === "own" ? undefined : title}>
        <Content key={page.path} title={title} />
      </Page>
    </ShowcaseContext>
  );
}
