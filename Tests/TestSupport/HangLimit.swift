package import Testing

extension Trait where Self == TimeLimitTrait {
  /// Ends a test that hangs.
  ///
  /// Far above the duration of any test: tests share the cores, so durations vary.
  package static var hangLimit: Self { .timeLimit(.minutes(30)) }
}
