/// Identifies a task during its lifetime.
struct TaskIdentity: Hashable, Sendable {
  private let number: Int

  init(_ number: Int) { self.number = number }

  /// The current task; nil outside of tasks.
  static var current: Self? {
    // SAFETY: the reference to the task does not leave the closure.
    unsafe withUnsafeCurrentTask { task in
      guard let task = unsafe task else { return nil }
      return Self(unsafe task.hashValue)
    }
  }
}
