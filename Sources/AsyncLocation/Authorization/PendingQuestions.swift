/// Stores the questions for the policy: those not yet asked and the one being asked.
///
/// Questions are asked one at a time. A cancelled question is ignored, but the next one waits until
/// the policy has returned from it.
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

  /// Returns the next question to ask.
  mutating func next() -> Question? {
    if permission?.isAsked == false {
      permission?.isAsked = true
      return permission?.question
    }
    guard accuracy?.isAsked == false else { return nil }
    accuracy?.isAsked = true
    return accuracy?.question
  }

  /// Keeps the task that asks a question while the question is pending.
  mutating func keep(
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
  mutating func take(_ question: Question) -> Bool {
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
