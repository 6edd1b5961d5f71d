import { useText } from "@longarm/ui/i18n/use-text.ts";
import { keyClass } from "@longarm/ui/key.tsx";
import { useLive } from "@longarm/ui/live.ts";
import { usePageTitle } from "@longarm/ui/page-title.ts";
import { hasPasskeys } from "@longarm/ui/passkeys.ts";
import { getRouteApi, Link, useRouteContext } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { AddressBlock } from "../../features/keys/address-block.tsx";
import { AppBlock } from "../../features/keys/app-block.tsx";
import { useKeys } from "../../features/keys/keys.ts";
import { KeysBlock } from "../../features/keys/keys-block.tsx";
import { OpenIdBlock } from "../../features/keys/openid-block.tsx";
import { SignInsBlock } from "../../features/keys/sign-ins-block.tsx";
import { ProfileScreen } from "../../features/profile/profile-screen.tsx";
import { Page } from "../../features/shell/page.tsx";
import { PaletteSwatches } from "../../features/theme/palette-swatches.tsx";
import { keptPin } from "../../shared/auth/auth-session.ts";
import { paths } from "../../shared/paths/paths.ts";
import { STORAGE_KEYS } from "../../shared/storage/storage.ts";
import { changePassword, choosePin } from "../account/new-secrets.ts";
import { changeAppearance, chooseLanguage } from "../appearance.ts";
import { renewToken } from "../start/sign-in.ts";

const player = getRouteApi("/shell/player");
const OnDevice = lazy(() => import("../device/on-device.tsx").catch(() => ({ default: () => null })));

/** Always the player's own profile: no call takes the id in the address (decision D-13). */
export function ProfileRoute() {
  const { app } = useRouteContext({ from: "__root__" });
  const { t } = useText();
  const signedIn = useLive(app.auth.state);
  const link = player.useLoaderData();
  usePageTitle(t("profile.title"));

  const { data: keys } = useKeys(app.api);
  const hasPasskey = keys !== undefined && keys !== "absent" && keys.passkeys.length > 0 && hasPasskeys();
  const pin = keptPin(app.storage);
  // Signed out while the page was open: the guard leads away at once.
  if (signedIn.is === "guest") return null;
  return (
    <Page title={t("profile.title")} subtitle={t("profile.subtitle")}>
      <ProfileScreen
        player={signedIn.player}
        hasPin={pin.at === "platform" ? pin.isSet : pin.hash !== ""}
        onPin={pin.at === "platform" ? (fields) => choosePin(app, fields) : undefined}
        settings={app.settings}
        appearance={
          <PaletteSwatches appearance={app.appearance} onChange={(choice) => changeAppearance(app, choice)} />
        }
        device={
          <Suspense>
            <OnDevice {...{ app, link }} at="profile" />
          </Suspense>
        }
        keys={
          <>
            <AddressBlock {...{ api: app.api, messages: app.messages }} onConfirmed={() => void renewToken(app)} />
            <KeysBlock
              {...{ api: app.api, messages: app.messages }}
              onAdded={() => app.storage.write(STORAGE_KEYS.passkey, "yes")}
            />
            <AppBlock {...{ api: app.api, messages: app.messages }} />
            <OpenIdBlock {...{ api: app.api, messages: app.messages }} />
            <SignInsBlock {...{ api: app.api, messages: app.messages }} />
          </>
        }
        more={
          <>
            <Link to={paths.identity} className={keyClass({ kind: "line" })}>
              {t("profile.identity")}
            </Link>
            <Link to={paths.terms} className={keyClass({ kind: "line" })}>
              {t("profile.terms")}
            </Link>
          </>
        }
        clock={app.clock}
        onPassword={(fields) => changePassword(app, fields)}
        hasPasskey={hasPasskey}
        onLanguage={(language) => chooseLanguage(app, language)}
      />
    </Page>
  );
}
