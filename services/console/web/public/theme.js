// Before the first paint: the theme that the person chose, if any.
try {
  const theme = localStorage.getItem('tollgate.theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // Storage is blocked: the theme of the system applies.
}
