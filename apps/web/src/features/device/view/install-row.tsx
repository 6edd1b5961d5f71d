import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Icon } from "@longarm/ui/icon.tsx";
import type { IconName } from "@longarm/ui/icon-paths.ts";
import { IconButton, Key } from "@longarm/ui/key.tsx";
import { useLive } from "@longarm/ui/live.ts";
import { siteName } from "@longarm/ui/page-title.ts";
import { Sheet } from "@longarm/ui/sheet.tsx";
import { useState } from "react";
import { installIn, installOffer, promptInstall } from "../install-prompt.ts";
import css from "./device.module.css";

/** How this page becomes an app on this device: one key where the browser asks, steps where the person does it. */
export function InstallRow({ page }: { readonly page: Window }) {
  const { t } = useText();
  const offered = useLive(installOffer) !== undefined;
  const [open, setOpen] = useState(false);
  const standalone = page.matchMedia("(display-mode: standalone)").matches;
  const install = installIn({ standalone, browser: page.navigator }, offered);
  return (
    <div className={css["install"]} data-install={install}>
      <p>{t(install === "installed" ? "device.installed" : "device.installAbout")}</p>
      {install === "menu" && <p className={css["fine"]}>{t("device.installMenu")}</p>}
      {install === "prompt" && (
        <Key icon="plus" onClick={() => void promptInstall()}>
          {t("device.install")}
        </Key>
      )}
      {install === "share" && (
        <Key icon="plus" onClick={() => setOpen(true)}>
          {t("device.installShow")}
        </Key>
      )}
      <Sheet
        open={open}
        onClose={() => setOpen(false)}
        title={t("device.installTitle", { name: siteName() })}
        className={css["sheet"] ?? ""}
        head={
          <p className={css["head"]}>
            <img src="/icon-192.png" alt="" />
            <IconButton icon="close" label={t("app.close")} onClick={() => setOpen(false)} />
          </p>
        }
      >
        <ol className={css["steps"]}>
          <Step icon="share" name={t("device.share")} about={t("device.shareAbout")} />
          <Step icon="plus" name={t("device.addToHome")} about={t("device.addToHomeAbout")} />
          <Step icon="check" name={t("device.add")} about={t("device.addAbout")} />
        </ol>
        <Key big className={css["not"] ?? ""} onClick={() => setOpen(false)}>
          {t("device.installNot")}
        </Key>
      </Sheet>
    </div>
  );
}

function Step({ icon, name, about }: { readonly icon: IconName; readonly name: string; readonly about: string }) {
  return (
    <li>
      <Icon name={icon} />
      <b>{name}</b>
      <small>{about}</small>
    </li>
  );
}
