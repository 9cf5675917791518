import AsyncLocation
import FoundationEssentials

// The columns of the table `answer`: `bind` writes them, and the function below it reads them.

extension Statement {
  mutating func bind(_ stored: StoredAnswer) throws(SQLiteFailure) {
    try bind(Int64(clamping: stored.id))
    try bind(stored.date.timeIntervalSinceReferenceDate)
    do {
      try bind([UInt8](try JSONEncoder().encode(AnswerContent(stored))))
    } catch let failure as SQLiteFailure {
      throw failure
    } catch {
      throw .corrupt("an answer cannot be encoded")
    }
    try bindChecksum()
  }

  mutating func storedAnswer() throws(SQLiteFailure) -> StoredAnswer {
    guard let id = UInt64(exactly: try integer()) else {
      throw .corrupt("an answer's number is negative")
    }
    let date = Date(timeIntervalSinceReferenceDate: try double())
    guard let bytes = try optionalBytes() else { throw .corrupt("an answer is missing") }
    try checkChecksum()
    do {
      return try JSONDecoder().decode(AnswerContent.self, from: Data(bytes)).stored(id, date)
    } catch {
      throw .corrupt("an answer is malformed")
    }
  }
}

/// A query and its answer, as JSON.
private struct AnswerContent: Codable {
  enum Kind: String, Codable { case result, partialResult, noResult }

  let name: String?
  let point: Coordinate?
  let locale: GeocodingLocale?
  let kind: Kind
  let placemarks: [Placemark]
  /// The message of the error; nil if there is a result.
  let message: String?

  init(_ stored: StoredAnswer) {
    (name, point, locale) = (stored.query.name, stored.query.point, stored.query.locale)
    switch stored.answer {
    case .success(let found): (kind, placemarks, message) = (.result, found, nil)
    case .failure(let error):
      kind = error.code == .geocodeFoundPartialResult ? .partialResult : .noResult
      (placemarks, message) = (error.partialPlacemarks, error.message)
    }
  }

  func stored(_ id: UInt64, _ date: Date) -> StoredAnswer {
    let answer: Result<[Placemark], LocationError> =
      switch kind {
      case .result: .success(placemarks)
      case .partialResult: .failure(.geocodePartialResult(placemarks, message ?? ""))
      case .noResult: .failure(LocationError(.geocodeFoundNoResult, message ?? ""))
      }
    return StoredAnswer(
      id: id, query: GeocodingQuery(name: name, point: point, locale: locale), answer: answer,
      date: date)
  }
}
