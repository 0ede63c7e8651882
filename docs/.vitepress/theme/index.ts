/** VitePress's theme in the colours and fonts of the console. Nothing is loaded from other hosts. */
import theme from 'vitepress/theme-without-fonts';
// oxlint-disable-next-line no-unassigned-import -- a style sheet
import './style.css';

export default theme;
