package import Testing

extension Trait where Self == TimeLimitTrait {
  /// Ends a test that hangs.
  ///
  /// Far above what any test takes: tests share the cores, so how long one takes says nothing of it.
  package static var hangLimit: Self { .timeLimit(.minutes(30)) }
}
