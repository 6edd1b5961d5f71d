import type { NavbarProps } from "./navbar.tsx";
import { Navbar } from "./navbar.tsx";
import css from "./shell.module.css";
import { useUnfolding } from "./use-unfolding.ts";

/** The menu beside the page. Folded, it opens over the page while the pointer rests on it or the keyboard is inside. */
export function SideMenu({ folded, menu }: { folded: boolean; menu: Omit<NavbarProps, "narrow"> }) {
  const { over, fold, handlers } = useUnfolding(folded);
  function press() {
    fold();
    menu.foot.onPress();
  }
  return (
    <div className={css["side"]} data-over={over || undefined} {...handlers}>
      <Navbar {...menu} foot={{ ...menu.foot, onPress: press }} narrow={folded && !over} />
    </div>
  );
}
