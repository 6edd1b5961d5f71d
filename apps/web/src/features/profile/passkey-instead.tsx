import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";

type PasskeyInsteadProps = {
  readonly busy: boolean;
  /** What the form is for is not typed yet. */
  readonly disabled: boolean;
  readonly onUse: () => void;
};

/** Sends a form with a passkey in place of the password. */
export function PasskeyInstead({ busy, disabled, onUse }: PasskeyInsteadProps) {
  const { t } = useText();
  return (
    <Key kind="line" icon="passkey" busy={busy} disabled={disabled} onClick={onUse}>
      {t("profile.byPasskey")}
    </Key>
  );
}
