import TestSupport
import Testing

@testable import OfflineGeocoder

@Suite(.inTurn) struct RankingTests {
  @Test func heaviestOfEachGroupComesFirst() {
    var ranking = Ranking(limit: 4)
    ranking.insert(1, 10)
    ranking.insert(2, 30)
    ranking.beginGroup()
    ranking.insert(3, 20)
    ranking.insert(4, 90)
    ranking.insert(5, 50)
    #expect(ranking.places == [2, 1, 4, 5])
    #expect(ranking.isFull)
  }

  @Test func placesOccurOnce() {
    var ranking = Ranking(limit: 4)
    ranking.insert(1, 10)
    ranking.insert(1, 20)
    ranking.beginGroup()
    ranking.insert(1, 30)
    #expect(ranking.places == [1])
  }

  @Test func fullRankingIgnoresFurtherGroups() {
    var ranking = Ranking(limit: 1)
    ranking.insert(1, 10)
    ranking.beginGroup()
    ranking.insert(2, 20)
    #expect(ranking.places == [1])
  }

  @Test func equalWeightsKeepTheOrderOfTheFile() {
    var ranking = Ranking(limit: 2)
    for place in [3, 1, 2] { ranking.insert(place, 5) }
    #expect(ranking.places == [1, 2])
  }
}
