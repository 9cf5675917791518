import AsyncLocation
import FoundationEssentials
import LocationPublishing

// The columns of the tables of publications: `bind` writes them, and the function below it reads
// them.

extension Statement {
  // MARK: The table `told`

  mutating func bind(accuracy: AccuracyAuthorization?) throws(SQLiteFailure) {
    let number: Int64 =
      switch accuracy {
      case nil: 0
      case .reduced: 1
      case .full: 2
      }
    try bind(number)
    try bindChecksum()
  }

  mutating func accuracy() throws(SQLiteFailure) -> AccuracyAuthorization? {
    let number = try integer()
    try checkChecksum()
    switch number {
    case 0: return nil
    case 1: return .reduced
    case 2: return .full
    default: throw .corrupt("an accuracy is not 0, 1 or 2")
    }
  }

  // MARK: The table `retained`

  mutating func bind(retainedTopic topic: ExactText) throws(SQLiteFailure) {
    try bind(topic.text)
    try bindChecksum()
  }

  mutating func retainedTopic() throws(SQLiteFailure) -> ExactText {
    let topic = ExactText(try text())
    try checkChecksum()
    return topic
  }

  // MARK: The table `publication`

  mutating func bind(_ publication: PendingPublication, number: UInt64) throws(SQLiteFailure) {
    try bind(Int64(clamping: number))
    try bind(publication.date.timeIntervalSinceReferenceDate)
    try bind(publication.topic)
    try bind(Int64(publication.isRetained ? 1 : 0))
    try bind(publication.payload)
    try bindChecksum()
  }

  mutating func storedPublication() throws(SQLiteFailure) -> StoredPublication {
    let number = try publicationNumber()
    let date = Date(timeIntervalSinceReferenceDate: try double())
    let topic = try text()
    let retained = try integer()
    guard (0...1).contains(retained) else { throw .corrupt("a flag is neither 0 nor 1") }
    guard let payload = try optionalBytes() else { throw .corrupt("a payload is missing") }
    try checkChecksum()
    let publication = PendingPublication(
      topic: topic, payload: payload, isRetained: retained == 1, date: date)
    return StoredPublication(number: number, publication)
  }

  mutating func publicationNumber() throws(SQLiteFailure) -> UInt64 {
    guard let number = UInt64(exactly: try integer()), number > 0 else {
      throw .corrupt("a publication's number is not positive")
    }
    return number
  }
}
