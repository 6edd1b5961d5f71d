import { RouterProvider } from "@tanstack/react-router";
import { TextsContext } from "../shared/i18n/use-text.ts";
import { CurrencyContext } from "../shared/money/currency.ts";
import { MessageHost } from "../shared/ui/message-host.tsx";
import { Splash } from "../shared/ui/splash.tsx";
import type { App } from "./app.ts";
import type { AppRouter } from "./router.tsx";

/** The page: the splash (or nothing, by the settings) until the token is checked, then the routes. */
export function RootView({ app, router }: { app: App; router: AppRouter | undefined }) {
  return (
    <TextsContext value={app.texts}>
      <CurrencyContext value={app.settings.currency}>
        {router !== undefined && <RouterProvider router={router} />}
        {router === undefined && app.settings.showSplash && <Splash />}
        <MessageHost messages={app.messages} />
      </CurrencyContext>
    </TextsContext>
  );
}
