import { useText } from "@longarm/ui/i18n/use-text.ts";
import { useLive } from "@longarm/ui/live.ts";
import { Sheet } from "@longarm/ui/sheet.tsx";
import { Switch } from "@longarm/ui/switch.tsx";
import { useConsole } from "../../shared/console.ts";
import css from "./palette.module.css";
import { Keys } from "./palette.tsx";

/** Every key that does something now, with its words, and the switch that makes single letters do nothing. */
export default function KeysSheet({ open, close }: { readonly open: boolean; readonly close: () => void }) {
  const { t } = useText();
  const { keyboard } = useConsole();
  const acts = useLive(keyboard.acts);
  const letters = useLive(keyboard.letters);
  const listed = [
    { keys: "Ctrl K", label: t("palette.title") },
    ...acts.filter(({ keys }) => keys !== ""),
    { keys: "Esc", label: t("palette.escape") },
  ];
  return (
    <Sheet open={open} title={t("app.allKeys")} onClose={close}>
      {open && (
        <div className={css["all"]}>
          <dl>
            {listed.map(({ keys, label }) => (
              <div key={`${keys} ${label}`}>
                <dt>{label}</dt>
                <dd>
                  <Keys keys={keys} />
                </dd>
              </div>
            ))}
          </dl>
          <Switch label={t("palette.letters")} on={letters} onChange={(on) => keyboard.setLetters(on)} />
          <p className="fine">{t("palette.lettersAbout")}</p>
        </div>
      )}
    </Sheet>
  );
}
