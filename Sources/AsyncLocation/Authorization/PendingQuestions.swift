/// A question to the policy.
struct Question: Hashable, Sendable {
  enum Subject: Hashable, Sendable {
    case permission(AuthorizationRequest)
    case fullAccuracy(purposeKey: String)
  }

  enum Answer: Hashable, Sendable {
    case permission(AuthorizationDecision)
    /// The duration granted; nil declines.
    case fullAccuracy(Duration?)
  }

  /// Distinguishes the question from a cancelled one with the same subject.
  let number: UInt64
  let subject: Subject

  /// True if the key is valid as a full-accuracy purpose: 1...255 bytes, no control characters.
  static func isPurpose(_ key: String) -> Bool {
    (1...255).contains(key.utf8.count)
      && key.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
  }

  /// Asks the policy. A request for full accuracy with an invalid purpose is declined without a
  /// call.
  func put(to policy: any AuthorizationPolicy) async -> Answer {
    switch subject {
    case .permission(let request): .permission(await policy.authorize(request))
    case .fullAccuracy(let purpose) where !Self.isPurpose(purpose): .fullAccuracy(nil)
    case .fullAccuracy(let purpose):
      .fullAccuracy(await policy.temporaryFullAccuracy(for: purpose))
    }
  }
}

/// A call to the policy, stored in a task-local value of the tasks that answer the call.
///
/// A request to the same manager from such a task would wait for its own answer, so it is rejected.
final class PolicyCall: Sendable {
  @TaskLocal private static var current: PolicyCall?

  private let hub: ObjectIdentifier
  private let isOver = Locked(false)

  private init(_ hub: Hub) { self.hub = ObjectIdentifier(hub) }

  /// Runs the code that answers a manager's question.
  static func answering<Answer: Sendable>(
    for hub: Hub, _ body: () async -> Answer
  ) async -> Answer {
    let call = PolicyCall(hub)
    // A task that outlives the call may request permission: the answer no longer depends on it.
    defer { call.isOver.withLock { $0 = true } }
    return await $current.withValue(call) { await body() }
  }

  /// True in a task that is answering a question of this manager.
  static func isUnderWay(for hub: Hub) -> Bool {
    guard let current, current.hub == ObjectIdentifier(hub) else { return false }
    return !current.isOver.withLock { $0 }
  }
}

extension LocationError {
  static var waitsForItself: Self {
    Self(
      .unsupported,
      "The authorization policy called its own manager for a result that depends on its answer; "
        + "answer first, then call the manager.")
  }
}

/// Stores the pending questions for the policy.
///
/// Questions are asked one at a time. The answer to a cancelled question is ignored, but the next
/// question is asked only after that answer.
struct PendingQuestions: Sendable {
  private struct Slot: Sendable {
    let question: Question
    var isAsked = false
    var task: Task<Void, Never>?
  }

  /// Signals that there is a question to ask.
  let wakeup = BoundedChannel<Void>(.newest(1))
  private var permission: Slot?
  private var accuracy: Slot?
  private var lastNumber: UInt64 = 0

  mutating func add(_ subject: Question.Subject, _ effects: inout Effects) {
    lastNumber += 1
    self[subject] = Slot(question: Question(number: lastNumber, subject: subject))
    _ = wakeup.push([()], waking: &effects.wakes)
  }

  mutating func cancelPermission(_ effects: inout Effects) { Self.drop(&permission, &effects) }
  mutating func cancelAccuracy(_ effects: inout Effects) { Self.drop(&accuracy, &effects) }

  private static func drop(_ slot: inout Slot?, _ effects: inout Effects) {
    if let task = slot?.task { effects.cancelled.append(task) }
    slot = nil
  }

  /// Returns the next question to ask, and marks it as asked.
  mutating func next() -> Question? {
    if permission?.isAsked == false {
      permission?.isAsked = true
      return permission?.question
    }
    guard accuracy?.isAsked == false else { return nil }
    accuracy?.isAsked = true
    return accuracy?.question
  }

  /// Retains the task of a question while the question is pending. If it no longer is, the task is
  /// cancelled.
  mutating func setTask(
    _ task: Task<Void, Never>, for question: Question, _ effects: inout Effects
  ) {
    if self[question.subject]?.question == question {
      self[question.subject]?.task = task
    } else {
      effects.cancelled.append(task)
    }
  }

  func isPending(_ question: Question) -> Bool { self[question.subject]?.question == question }

  /// Removes a pending question. Returns false if it is not pending.
  mutating func remove(_ question: Question) -> Bool {
    guard isPending(question) else { return false }
    self[question.subject] = nil
    return true
  }

  mutating func close(_ effects: inout Effects) {
    cancelPermission(&effects)
    cancelAccuracy(&effects)
    wakeup.finish(waking: &effects.wakes)
  }

  private subscript(subject: Question.Subject) -> Slot? {
    get {
      switch subject {
      case .permission: permission
      case .fullAccuracy: accuracy
      }
    }
    set {
      switch subject {
      case .permission: permission = newValue
      case .fullAccuracy: accuracy = newValue
      }
    }
  }
}
