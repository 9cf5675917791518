import AsyncLocation

/// The open questions, at most one to the policy of each source.
///
/// A policy is asked one question at a time: if it ignores the cancellation of one, the next is put
/// when it has returned.
struct SourceQuestions: Sendable {
  /// A question to one policy.
  struct Question: Sendable {
    let id: UInt64
    let request: AuthorizationRequest
    private let answers = AsyncStream.makeStream(of: AuthorizationDecision.self)
    private let ending = AsyncStream.makeStream(of: Never.self)

    init(_ id: UInt64, _ request: AuthorizationRequest) { (self.id, self.request) = (id, request) }

    /// Waits for the answer; returns nil if the question ends without one, or the task is cancelled.
    func answer() async -> AuthorizationDecision? {
      let answer = await answers.stream.first { _ in true }
      end()
      return answer
    }

    /// Asks, and passes on the answer. Returns when the call has returned, even if the question has
    /// ended.
    func put(_ ask: @escaping @Sendable () async -> AuthorizationDecision?) async {
      await withTaskGroup(of: AuthorizationDecision?.self) { group in
        group.addImmediateTask { await ask() }
        group.addTask { [ending] in
          for await _ in ending.stream {}
          return nil
        }
        if let answer = await group.next() ?? nil { answers.continuation.yield(answer) }
        answers.continuation.finish()
        group.cancelAll()
      }
    }

    /// Ends the question, which cancels its call if it was put.
    func end() {
      ending.continuation.finish()
      answers.continuation.finish()
    }
  }

  private var open: [Int: Question] = [:]
  /// The sources whose question was not put yet.
  private var waiting: Set<Int> = []
  /// The sources whose policies are being asked.
  private var asked: Set<Int> = []
  private var lastID: UInt64 = 0

  /// Opens a question.
  ///
  /// - Returns: The question, and whether the caller has to put it and those that follow it.
  mutating func ask(_ request: AuthorizationRequest, of source: Int) -> (Question, isPutter: Bool) {
    lastID += 1
    let question = Question(lastID, request)
    open[source] = question
    waiting.insert(source)
    return (question, asked.insert(source).inserted)
  }

  /// The next question to put to the policy of a source; nil if there is none.
  mutating func next(of source: Int) -> Question? {
    guard waiting.remove(source) != nil else {
      asked.remove(source)
      return nil
    }
    return open[source]
  }

  /// Closes the question to a source's policy, unless another one was opened since, and returns it.
  @discardableResult
  mutating func close(_ id: UInt64? = nil, of source: Int) -> Question? {
    guard let question = open[source], id == nil || id == question.id else { return nil }
    waiting.remove(source)
    return open.removeValue(forKey: source)
  }
}
